// The list of a match's games, with filters, a page at a time.
const PAGE = 100;
const RESULTS = { "+": "won", "=": "drawn", "-": "lost" };

function gameName(match, number) {
  return `${match.id}-${match.letter}${String(number).padStart(match.digits, "0")}`;
}

function locate(name) {
  for (const match of SITE.matches) {
    const stem = `${match.id}-${match.letter}`;
    const digits = name.startsWith(stem) ? name.slice(stem.length) : "";
    if (/^\d+$/.test(digits) && Number(digits) < match.count) return { match, number: Number(digits) };
  }
  throw new Error(`${name}: no such game in this report`);
}

function choice(name, label, options, chosen, changed) {
  const select = h("select", { name, change: () => changed(select.value) });
  for (const [value, words] of options) select.append(h("option", { value, selected: value === chosen }, words));
  return h("label", {}, `${label} `, select);
}

function filters(match, index, chosen, show) {
  const kinds = index.kinds.map((kind, number) => [String(number), kind]);
  const errors = index.error_classes.map((name, number) => [String(number), name.replaceAll("_", " ")]);
  const careers = match.career ? [...Array(Math.ceil(match.count / match.career)).keys()].map((career) => [String(career), `career ${career + 1}`]) : [];
  const offer = (name, label, options) =>
    options.length ? [choice(name, label, [["", "all"], ...options], chosen[name] ?? "", (value) => show({ ...chosen, [name]: value, page: "" }))] : [];
  const alike = SITE.matches.filter((one) => one.game === match.game).map((one) => [one.id, one.words]);
  // Endings and careers have other numbers in another match.
  const turn = (value) => show({ ...chosen, m: value, e: "", c: "", page: "" });
  return h("form", { class: "filters", submit: (event) => event.preventDefault() },
    ...(alike.length > 1 ? [choice("m", "Condition", alike, match.id, turn)] : []),
    ...offer("r", "Result of seat A", Object.entries(RESULTS)),
    ...offer("e", "Ending", kinds),
    ...offer("x", "First-attempt errors", errors.length ? [["any", "any"], ["none", "none"], ...errors] : []),
    ...offer("c", "Career", careers));
}

function fits(match, index, chosen, number) {
  const errors = index.errors[number];
  return (!chosen.r || index.won[number] === chosen.r)
    && (!chosen.e || index.kind[number] === Number(chosen.e))
    && (!chosen.c || Math.floor(number / match.career) === Number(chosen.c))
    && (!chosen.x || (chosen.x === "any" ? errors !== 0 : chosen.x === "none" ? errors === 0 : (errors >> Number(chosen.x)) & 1));
}

function selected(match, index, chosen) {
  return [...Array(match.count).keys()].filter((number) => fits(match, index, chosen, number));
}

async function gameList(chosen, show) {
  const match = SITE.matches.find((one) => one.id === chosen.m);
  if (!match) throw new Error(`${chosen.m}: no such match in this report`);
  const index = await chunks.read(match.index);
  const found = selected(match, index, chosen);
  const last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
  const page = /^\d+$/.test(chosen.page) ? Math.min(Number(chosen.page), last) : 0;
  const shown = found.slice(page * PAGE, (page + 1) * PAGE);
  const rest = Object.fromEntries(Object.entries(chosen).filter(([name]) => ["r", "e", "x", "c", "page"].includes(name)));
  const rows = shown.map((number) => {
    const name = gameName(match, number);
    return h("tr", {}, h("th", { scope: "row" }, h("a", { href: hashOf({ g: name, ...rest }) }, name.slice(match.id.length + 1))),
      ...(match.career ? [h("td", {}, String(Math.floor(number / match.career) + 1))] : []),
      h("td", { class: RESULTS[index.won[number]] }, RESULTS[index.won[number]]),
      h("td", {}, index.ended[number]));
  });
  const head = h("thead", {}, h("tr", {}, ...["game", ...(match.career ? ["career"] : []), "seat A", "how it ended"].map((words) => h("th", { scope: "col" }, words))));
  const step = (label, to) => h("button", { type: "button", disabled: to < 0 || to * PAGE >= found.length, click: () => show({ ...chosen, page: String(to) }) }, label);
  return h("div", { class: "list" },
    h("p", {}, h("a", { href: "#games" }, "← Overview")),
    h("h1", { tabindex: "-1" }, match.words),
    filters(match, index, chosen, show),
    h("p", { role: "status" }, `${found.length.toLocaleString("en")} of ${match.count.toLocaleString("en")} ${match.noun[1]}`),
    h("div", { class: "scroll", tabindex: "0" }, h("table", {}, head, h("tbody", {}, ...rows))),
    h("p", { class: "pages" }, step("Earlier", page - 1), ` page ${page + 1} of ${Math.max(1, Math.ceil(found.length / PAGE))} `, step("Later", page + 1)));
}

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

// Filters are named in the address by words, so that they mean the same in every match.
function filters(match, index, chosen, show) {
  const named = (names) => names.map((name) => [name, name.replaceAll("_", " ")]);
  const careers = match.career ? [...Array(Math.ceil(match.count / match.career)).keys()].map((career) => [String(career + 1), `career ${career + 1}`]) : [];
  const offer = (name, label, options) => {
    const value = chosen[name] ?? "";
    const missing = value && !options.some(([one]) => one === value) ? [[value, `${value} (none here)`]] : [];
    const all = [...options, ...missing];
    return all.length ? [choice(name, label, [["", "all"], ...all], value, (turned) => show({ ...chosen, [name]: turned, page: "" }))] : [];
  };
  const alike = SITE.matches.filter((one) => one.game === match.game).map((one) => [one.id, one.words]);
  return h("form", { class: "filters", "aria-label": "Filters", submit: (event) => event.preventDefault() },
    ...(alike.length > 1 ? [choice("m", "Condition", alike, match.id, (turned) => show({ ...chosen, m: turned, page: "" }))] : []),
    ...offer("r", "Result of seat A", Object.entries(RESULTS)),
    ...offer("e", "Ending", named(index.kinds)),
    ...offer("x", "First-attempt errors", index.error_classes.length ? [["any", "any"], ["none", "none"], ...named(index.error_classes)] : []),
    ...offer("c", "Career", careers));
}

function fits(match, index, chosen, number) {
  const errors = index.errors[number];
  const isClass = (name) => (errors >> index.error_classes.indexOf(name)) & 1 && index.error_classes.includes(name);
  return (!chosen.r || index.won[number] === chosen.r)
    && (!chosen.e || index.kinds[index.kind[number]] === chosen.e)
    && (!chosen.c || (match.career > 0 && Math.floor(number / match.career) + 1 === Number(chosen.c)))
    && (!chosen.x || (chosen.x === "any" ? errors !== 0 : chosen.x === "none" ? errors === 0 : isClass(chosen.x)));
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

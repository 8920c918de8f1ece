// The list of a match's games: filters, an order, a page at a time. What is chosen stands in the address.
const PAGE = 50;
const RESULTS = { "+": "won", "=": "drawn", "-": "lost" };
const CHOICES = ["result", "end", "unusable", "seat", "career", "sort", "page"];

function gameName(match, number) {
  return `${match.id}-${match.letter}${String(number).padStart(match.digits, "0")}`;
}

function gameTitle(match, number) {
  return `${capital(match.noun[0])} ${(number + 1).toLocaleString("en")}`;
}

function locate(name) {
  for (const match of SITE.matches) {
    const stem = `${match.id}-${match.letter}`;
    const digits = name.startsWith(stem) ? name.slice(stem.length) : "";
    if (/^\d+$/.test(digits) && Number(digits) < match.count) return { match, number: Number(digits) };
  }
  throw new Error(`${name}: no such game in this report`);
}

// Why an answer is unusable, in words. action: what the game calls an action.
function whyUnusable(kind, action) {
  const words = { no_action: `no ${action} named`, ambiguous: `more than one ${action} named`, illegal: `illegal ${action}`, cut: "reply cut off", no_reply: "no reply" };
  return words[kind] || kind.replaceAll("_", " ");
}

function actionOf(match) {
  return GAMES[match.game]?.action || "action";
}

// What is unusable in a game, of the class and the seat that are chosen: [seat, class, how many, frame of the first].
function unusableIn(index, number, chosen = {}) {
  const isClass = (kind) => !chosen.unusable || ["any", "none"].includes(chosen.unusable) || kind === chosen.unusable;
  return (index.unusable[number] || []).filter(([seat, kind]) => isClass(kind) && (!chosen.seat || "abcdefghijklmnopqrstuvwxyz"[seat] === chosen.seat));
}

function total(rows) {
  return rows.reduce((sum, [, , count]) => sum + count, 0);
}

function fits(match, index, chosen, number) {
  const count = chosen.unusable ? unusableIn(index, number, chosen).length : 0;
  return (!chosen.result || RESULTS[index.won[number]] === chosen.result)
    && (!chosen.end || index.endings[index.ending[number]] === chosen.end)
    && (!chosen.career || (match.career > 0 && Math.floor(number / match.career) + 1 === Number(chosen.career)))
    && (!chosen.unusable || (chosen.unusable === "none" ? count === 0 : count > 0));
}

// What a column is sorted by; the greatest first where it begins with a minus. Of equal games the lowest number first.
const SORTS = {
  number: (index) => (number) => number,
  result: (index) => (number) => "-=+".indexOf(index.won[number]) * 1e9 + index.amount[number],
  ending: (index) => (number) => index.ending[number],
  length: (index) => (number) => index.length[number],
  unusable: (index, chosen) => (number) => total(unusableIn(index, number, chosen)),
};

function selected(match, index, chosen) {
  const found = [...Array(match.count).keys()].filter((number) => fits(match, index, chosen, number));
  const [, minus, name] = /^(-?)(\w+)$/.exec(chosen.sort || "") || [];
  if (!Object.hasOwn(SORTS, name || "")) return found;
  const value = SORTS[name](index, chosen);
  const values = new Map(found.map((number) => [number, minus ? -value(number) : value(number)]));
  return found.sort((one, other) => values.get(one) - values.get(other) || one - other);
}

function choice(name, label, options, chosen, changed) {
  const select = h("select", { name, change: () => changed(select.value) });
  for (const [value, words] of options) select.append(h("option", { value, selected: value === chosen }, words));
  return h("label", {}, `${label} `, select);
}

// Filters are named in the address by words, so that they mean the same in every match.
function filters(match, index, chosen, show) {
  const careers = match.career ? [...Array(Math.ceil(match.count / match.career)).keys()].map((career) => [String(career + 1), `career ${career + 1}`]) : [];
  const rows = Object.values(index.unusable).flat();
  const kinds = [...new Set(rows.map(([, kind]) => kind))].map((kind) => [kind, whyUnusable(kind, actionOf(match))]);
  const seats = rows.length ? match.seats.map((seat, at) => ["abcdefghijklmnopqrstuvwxyz"[at], seat]) : [];
  const offer = (name, label, options, all = "all") => {
    const value = chosen[name] ?? "";
    const missing = value && !options.some(([one]) => one === value) ? [[value, `${value.replaceAll("_", " ")} (none here)`]] : [];
    const offered = [...options, ...missing];
    return offered.length ? [choice(name, label, [["", all], ...offered], value, (turned) => show({ ...chosen, [name]: turned, page: "" }))] : [];
  };
  const alike = SITE.matches.filter((one) => one.game === match.game).map((one) => [one.id, one.words]);
  return h("form", { class: "filters", "aria-label": "Filters", submit: (event) => event.preventDefault() },
    ...(alike.length > 1 ? [choice("m", "Match", alike, match.id, (turned) => show({ ...chosen, m: turned, page: "" }))] : []),
    ...offer("result", `Result of ${match.seats[0]}`, Object.values(RESULTS).map((word) => [word, word])),
    ...offer("end", "Ended by", index.endings.map((name) => [name, name.replaceAll("_", " ")])),
    ...offer("unusable", "Unusable answers", kinds.length ? [["any", "any"], ["none", "none"], ...kinds] : []),
    ...(chosen.unusable || chosen.seat ? offer("seat", "of", seats, "anyone") : []),
    ...offer("career", "Career", careers));
}

// How many answers of the whole match are unusable, class by class, each a link to its games.
function unusableTotals(match, index, chosen) {
  const counts = new Map();
  for (const [seat, kind, count] of Object.values(index.unusable).flat()) {
    const name = `${"abcdefghijklmnopqrstuvwxyz"[seat]} ${kind}`;
    counts.set(name, (counts.get(name) || 0) + count);
  }
  if (!counts.size) return h("p", { class: "totals" }, "No answer in this match was unusable.");
  const links = [...counts].sort(([, one], [, other]) => other - one).flatMap(([name, count]) => {
    const [letter, kind] = name.split(" ");
    const words = `${match.seats[letter.charCodeAt(0) - 97]}: ${whyUnusable(kind, actionOf(match))}, ${count.toLocaleString("en")}`;
    return [" ", h("a", { class: "chip", href: hashOf({ m: match.id, unusable: kind, seat: letter, sort: chosen.sort }) }, words)];
  });
  return h("p", { class: "totals" }, "Unusable answers in this match:", ...links);
}

function heading(words, name, chosen, kind) {
  const current = chosen.sort || "number";
  const isUp = current === name, isDown = current === `-${name}`;
  // Numbers of things are wanted from the greatest on, names and numbers of games from the first.
  const [first, second] = ["number", "ending"].includes(name) ? [name, `-${name}`] : [`-${name}`, name];
  const next = current === first ? second : first;
  const arrow = isUp ? " ↑" : isDown ? " ↓" : "";
  return h("th", { scope: "col", role: "columnheader", class: kind || null, "aria-sort": isUp ? "ascending" : isDown ? "descending" : null },
    h("a", { href: hashOf({ ...chosen, sort: next === "number" ? "" : next, page: "" }), class: "sort", title: `Sort by ${words.toLowerCase()}`, "data-sort": name }, `${words}${arrow}`));
}

function listRow(match, index, chosen, number) {
  const renderer = GAMES[match.game];
  const bad = unusableIn(index, number);
  const wanted = chosen.unusable && chosen.unusable !== "none" ? unusableIn(index, number, chosen) : [];
  const k = wanted.length ? Math.min(...wanted.map(([, , , at]) => at)) : "";
  const result = RESULTS[index.won[number]];
  const amount = renderer?.amount ? ` ${renderer.amount(index.amount[number])}` : "";
  const link = h("a", { class: "open", href: hashOf({ g: gameName(match, number), k: k ? String(k) : "", ...only(chosen) }) }, gameTitle(match, number));
  const kinds = [...new Set(bad.map(([, kind]) => kind))].map((kind) => whyUnusable(kind, actionOf(match))).join(", ");
  const cell = (kind, ...children) => h("td", { role: "cell", class: kind }, ...children);
  return h("tr", { role: "row" }, cell("drawing", renderer?.small ? renderer.small(index.thumbnails[number], index.place[number], match) : ""),
    h("th", { scope: "row", role: "rowheader" }, link, match.career ? h("small", {}, ` career ${Math.floor(number / match.career) + 1}`) : ""),
    cell("outcome", h("span", { class: result }, `${result}${amount}`), h("small", {}, ` as ${match.places[index.place[number]] || ""}`)),
    cell("ending", index.endings[index.ending[number]].replaceAll("_", " ")),
    cell("length number", renderer?.length ? renderer.length(index.length[number]) : counted(index.length[number], "action")),
    cell("count number", bad.length ? h("span", { class: "unusable" }, String(total(bad)), h("small", {}, ` ${kinds}`)) : h("small", {}, "0")));
}

function only(chosen) {
  return Object.fromEntries(Object.entries(chosen).filter(([name]) => CHOICES.includes(name)));
}

async function gameList(chosen, show) {
  const match = SITE.matches.find((one) => one.id === chosen.m);
  if (!match) throw new Error(`${chosen.m}: no such match in this report`);
  const index = await chunks.read(match.index);
  const found = selected(match, index, chosen);
  const last = Math.max(0, Math.ceil(found.length / PAGE) - 1);
  const page = /^\d+$/.test(chosen.page) ? Math.min(Number(chosen.page), last) : 0;
  const rows = found.slice(page * PAGE, (page + 1) * PAGE).map((number) => listRow(match, index, chosen, number));
  const renderer = GAMES[match.game];
  const head = h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, h("th", { scope: "col", role: "columnheader", class: "drawing" }, renderer?.drawing || ""), heading(capital(match.noun[0]), "number", chosen),
    heading(`Result of ${match.seats[0]}`, "result", chosen), heading("Ended by", "ending", chosen), heading("Length", "length", chosen, "number"), heading("Unusable answers", "unusable", chosen, "number")));
  const step = (label, to) => h("button", { type: "button", disabled: to < 0 || to * PAGE >= found.length, click: () => show({ ...chosen, page: String(to) }) }, label);
  const pages = () => found.length > PAGE ? h("p", { class: "pages" }, step("« First", page ? 0 : -1), step("‹ Earlier", page - 1), ` page ${page + 1} of ${last + 1} `, step("Later ›", page + 1), step("Last »", page < last ? last : -1)) : "";
  return h("div", { class: "list" },
    h("p", { class: "crumbs" }, h("a", { href: "#games" }, "← Overview")),
    h("h1", { tabindex: "-1" }, match.words),
    filters(match, index, chosen, show),
    unusableTotals(match, index, chosen),
    h("p", { role: "status" }, `${found.length.toLocaleString("en")} of ${match.count.toLocaleString("en")} ${match.noun[1]}`),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `The ${match.noun[1]}` }, h("table", { class: "games", role: "table" }, head, h("tbody", { role: "rowgroup" }, ...rows))),
    pages());
}

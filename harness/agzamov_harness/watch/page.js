const EVERY_MS = 1000;
const PLAY_MS = 800;
const PAGE = String(Math.random()).slice(2);
const at = (id) => document.getElementById(id);
const many = (value) => Number(value).toLocaleString("en");
const cards = new Map();

function say(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

/** Replace what a place holds, unless it is equal: a focused link stays focused, and nothing flickers. */
function put(place, ...made) {
  const same = place.children.length === made.length && made.every((one, index) => one.isEqualNode(place.children[index]));
  if (!same) place.replaceChildren(...made);
}

function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds)), two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

function left(seconds) {
  if (seconds === null) return "time left not known yet";
  if (seconds < 60) return "less than 1 min left";
  if (seconds < 7200) return `about ${Math.round(seconds / 60)} min left`;
  return seconds < 48 * 3600 ? `about ${Math.round(seconds / 3600)} h left` : `about ${Math.round(seconds / 86400)} days left`;
}

function cost(told) {
  if (!told.is_cost_known) return "cost unknown";
  const usd = (text) => Number(text).toFixed(2);
  return told.budget_usd ? `${usd(told.cost_usd)} of ${usd(told.budget_usd)} USD` : `${usd(told.cost_usd)} USD`;
}

function answers(told) {
  if (!told.answers) return "no answer yet";
  const cut = told.cut ? `, ${told.cut === told.unusable ? "all" : many(told.cut)} of them cut` : "";
  return `${told.worst ? `${told.worst}: ` : ""}${many(told.unusable)} of ${many(told.answers)} answers unusable${cut}`;
}

/** Each part keeps the width of its widest text, so that nothing moves when a number grows. */
function line(told) {
  const isDone = told.is_over || told.is_ended, digits = (text) => text.replace(/\d/g, "0");
  const calls = (number) => (told.is_over ? `${many(number)} calls` : `${many(number)} of about ${many(told.calls_expected)} calls`);
  const parts = [["calls", calls(told.calls), digits(calls(Math.max(told.calls, told.calls_expected)))]];
  if (told.elapsed_s !== null) parts.push(["elapsed", clock(told.elapsed_s), told.elapsed_s < 3600 ? "00:00" : "0:00:00"]);
  if (!isDone) parts.push(["left", left(told.left_s), "about 00 min left"]);
  if (told.has_models) parts.push(["cost", cost(told), cost({ ...told, cost_usd: told.budget_usd || told.cost_usd })]);
  if (told.has_models) parts.push([told.is_alarming ? "answers warn" : "answers", (told.is_alarming ? "⚠ " : "") + answers(told), ""]);
  put(at("line"), ...parts.map(([kind, text, widest]) =>
    h("span", { class: kind }, h("span", {}, text, ...(kind === "elapsed" ? [hidden(" since the start")] : [])), h("span", { class: "reserve", "aria-hidden": "true" }, widest))));
}

function card(name) {
  if (cards.has(name)) return cards.get(name);
  const made = {
    name: h("h3", {}), wait: h("p", { class: "wait" }), match: h("p", { class: "match" }), scene: h("div", { class: "scene" }),
    verdict: h("p", { class: "verdict" }), counts: h("p", { class: "label" }), said: h("p", { class: "label" }), reply: h("pre", { class: "reply", tabindex: "0" }),
    prompt: h("pre", { class: "prompt", tabindex: "0" }),
  };
  made.asked = h("details", {}, h("summary", {}, "What it was asked"), made.prompt);
  made.box = h("article", {}, h("div", { class: "top" }, made.name, made.wait), made.match, made.scene,
    h("div", { class: "told" }, made.verdict, made.counts, made.said, made.reply, made.asked));
  cards.set(name, made);
  return made;
}

function inThisGame(row) {
  const counts = Object.entries(row.counts).map(([seat, [unusable, all]]) => `${seat} ${many(unusable)} of ${many(all)}`);
  return counts.length ? `Unusable in this ${row.title.split(" ")[0].toLowerCase()}: ${counts.join(", ")}` : "";
}

function game(row, matches) {
  const made = card(row.stream), scene = JSON.stringify([row.frame, row.placed, Object.keys(row.frame).length ? "" : row.prompt]);
  say(made.name, row.title);
  say(made.wait, `waiting: ${row.waits_for} ${clock(row.waits_s)}`);
  say(made.match, matches.get(row.match) || row.match);
  say(made.verdict, (row.is_unusable ? "⚠ " : "") + row.verdict);
  say(made.counts, inThisGame(row));
  made.verdict.classList.toggle("bad", row.is_unusable);
  made.box.classList.toggle("bad", row.is_unusable);
  say(made.said, row.asked ? `${row.asked} answered${row.asked_in ? ` last, in ${row.asked_in}` : ""}` : "No answer yet");
  say(made.reply, row.reply);
  say(made.prompt, row.prompt);
  made.asked.hidden = !row.asked;
  if (made.drawn !== scene) {
    made.drawn = scene;
    made.scene.replaceChildren(drawn(row.frame, row, false));
  }
  return made.box;
}

function figure(row) {
  if (row.is_left_out) return [`not played: ${row.first_seat} did not pass Phase 0`];
  if (row.is_baseline) return ["self-play, for comparison: no score"];
  if (!row.score && row.caution) return [h("span", { class: "warn" }, row.caution)];
  if (!row.score) return [`score after ${row.waits_for}`];
  const told = `${row.first_seat}: ${row.score}${row.scored < row.done ? `, over the first ${many(row.scored)} ${row.noun}` : ""}`;
  return row.caution ? [told, h("p", { class: "warn" }, row.caution)] : [told];
}

function tableRow(first, cells) {
  return h("tr", { role: "row" }, h("th", { scope: "row", role: "rowheader" }, first),
    ...cells.map(([label, kind, ...content]) => h("td", { role: "cell", class: kind || null, "data-label": label || null }, ...content)));
}

function replayLink(name, words) {
  return h("a", { href: `#game=${name}` }, words);
}

function match(row) {
  const played = `${many(row.done)} of ${many(row.planned)} ${row.noun}`;
  return tableRow(row.words, [["", "figure", ...figure(row)],
    ["", "number", played, ...(row.last ? [" ", replayLink(row.last, "replay")] : [])]]);
}

function score(told) {
  const begun = told.matches.filter((row) => row.is_begun || row.is_left_out), waiting = told.matches.filter((row) => !row.is_begun && !row.is_left_out);
  put(at("matches"), ...begun.map(match));
  at("waiting").hidden = !waiting.length;
  const words = waiting.length === 1 ? "1 match has not begun" : `${waiting.length} matches have not begun`;
  say(at("waiting").firstElementChild, begun.length && waiting.length ? words.replace(" match", " more match") : words);
  put(at("waiting").lastElementChild, ...waiting.map((row) => h("li", {}, `${row.words}: ${many(row.planned)} ${row.noun}`)));
}

const SEAT_COLUMNS = [["unusable answers", (row) => (row.answers ? `${many(row.unusable)} of ${many(row.answers)}` : "–")],
  ["cut", (row) => (row.answers ? many(row.cut) : "–")], ["no reply", (row) => many(row.no_reply)], ["retries", (row) => many(row.retries)],
  ["calls", (row) => many(row.calls)], ["tokens in", (row) => (row.is_model ? many(row.prompt_tokens) : "–")], ["tokens out", (row) => (row.is_model ? many(row.completion_tokens) : "–")]];

function seats(told) {
  const head = at("seats").parentElement.tHead.rows[0];
  put(head, ...["player", ...SEAT_COLUMNS.map(([name]) => name)].map((name) => h("th", { scope: "col", role: "columnheader" }, name)));
  put(at("seats"), ...told.seats.map((row) => tableRow(row.seat, SEAT_COLUMNS.map(([name, value]) => [name, "", value(row)]))));
}

function finished(told, matches) {
  put(at("finished"), ...told.finished.map((row) => h("li", {}, replayLink(row.game, row.title), ` ${row.result} `, h("small", {}, matches.get(row.match) || row.match))));
  at("no-finished").hidden = told.finished.length > 0;
}

function state(told) {
  const last = told.is_final ? " This page asks no more." : "";
  if (told.is_over) return `Played to its end${told.stopped_because ? `, but: ${told.stopped_because}` : ""}.${last}`;
  if (told.is_ended) return `Stopped before its end: ${told.stopped_because}. The terminal says how to go on with it.${last}`;
  if (!told.is_read) return "Reading the journals.";
  const isQuiet = told.quiet_s === null || told.quiet_s >= 10;
  if (isQuiet && told.is_played === false) return "No process of this machine plays it: it was stopped, or is played elsewhere. It goes on by: agzamov resume, with its folder.";
  if (told.quiet_s === null) return told.elapsed_s === null ? "No answer has come since this program looked." : "Waiting for the first answer.";
  return isQuiet ? "Waiting for an answer." : "Being played.";
}

function draw(told) {
  const matches = new Map(told.matches.map((row) => [row.match, row.words]));
  document.title = `${told.title || told.run} – Agzamov run`;
  say(at("title"), told.title || told.run);
  say(at("state"), state(told));
  say(at("run"), told.run);
  at("broken").hidden = !told.broken.length;
  say(at("broken"), told.broken.length ? `The journal cannot be read on: ${told.broken.join("; ")}` : "");
  line(told);
  say(at("score-title"), told.is_over ? "Score" : "Score so far");
  const boxes = told.games.map((row) => game(row, matches)), names = new Set(told.games.map((row) => row.stream));
  for (const name of [...cards.keys()]) if (!names.has(name)) { cards.get(name).box.remove(); cards.delete(name); }
  boxes.forEach((box, index) => { if (at("games").children[index] !== box) at("games").insertBefore(box, at("games").children[index] || null); });
  at("playing").hidden = !boxes.length;
  say(at("playing-title"), told.is_ended ? "Games that are not finished" : "Games in progress");
  say(at("more"), told.games_not_shown ? `and ${many(told.games_not_shown)} more` : "");
  score(told);
  finished(told, matches);
  seats(told);
}

/** Ask again and again, until all of it was told. */
async function look() {
  try {
    const answer = await fetch("snapshot.json", { cache: "no-store", headers: { "X-Page": PAGE } });
    if (answer.ok) {
      const told = await answer.json();
      draw(told);
      if (told.is_final) {
        at("lost").hidden = true;
        return;
      }
    }
    at("lost").hidden = answer.ok;
  } catch (error) {
    at("lost").hidden = false;
  }
  setTimeout(look, document.hidden ? 5 * EVERY_MS : EVERY_MS);
}

/** A game that is over, a move at a time. Its id stands in the address, so a link to it can be kept. */
class Replay {
  constructor() {
    this.game = null;
    this.asked = "";
    this.timer = 0;
    this.flipped = false;
    at("close").addEventListener("click", () => at("replay").close());
    at("replay").addEventListener("close", () => this.closed());
    at("replay").addEventListener("keydown", (event) => this.key(event));
    for (const button of document.querySelectorAll("[data-step]")) button.addEventListener("click", () => this.step(button.dataset.step));
    addEventListener("hashchange", () => this.turn());
    this.turn();
  }

  /** The browser tells of a close later: by then another game may be open or asked for, whose address stays. */
  closed() {
    if (at("replay").open || location.hash !== `#game=${this.asked}`) return;
    this.pause();
    history.pushState(null, "", location.pathname);
  }

  async turn() {
    const name = location.hash.startsWith("#game=") ? location.hash.slice(6) : "";
    this.pause();
    if (!name) return at("replay").close();
    this.asked = name;
    if (!at("replay").open) at("replay").showModal();
    let game = null;
    try {
      const answer = await fetch(`games/${encodeURIComponent(name)}.json`, { cache: "no-store" });
      game = answer.ok ? await answer.json() : null;
    } catch (error) {
      game = null;
    }
    if (location.hash === `#game=${name}`) this.open(game);
  }

  open(game) {
    this.game = game;
    say(at("replay-title"), game ? `${game.title} of ${game.words}` : "This game cannot be replayed");
    say(at("replay-result"), game ? game.result : "It is not over, or the program that serves this page has ended.");
    document.querySelector(".stage").hidden = !game;
    for (const side of ["previous", "next"]) {
      at(side).hidden = !(game && game[side]);
      at(side).href = game ? `#game=${game[side]}` : "#";
    }
    at("replay-note").hidden = !(game && game.frames.some((frame) => frame.drawn));
    if (!game) return;
    game.holes = game.frames[0].holes || [[], []];
    at("replay-moves").replaceChildren(...game.frames.map((frame, index) =>
      h("li", {}, h("button", { type: "button", click: () => { this.pause(); this.show(index); } }, frame.label + (frame.drawn ? "*" : "")))));
    this.show(0);
    at("replay-title").focus();
  }

  show(index) {
    const { game } = this;
    this.at = Math.min(Math.max(index, 0), game.frames.length - 1);
    const frame = game.frames[this.at];
    at("replay-drawing").replaceChildren(drawn(frame, game, this.flipped));
    say(at("replay-said"), frame.said || frame.label);
    [...at("replay-moves").children].forEach((item, number) => {
      if (number === this.at) item.firstChild.setAttribute("aria-current", "step");
      else item.firstChild.removeAttribute("aria-current");
    });
    const list = at("replay-moves"), current = list.children[this.at];
    list.scrollTop = current.offsetTop - list.clientHeight / 2;
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.name();
  }

  name() {
    const button = document.querySelector("[data-step=play]"), words = this.timer ? "Pause (space)" : "Play (space)";
    say(button, this.timer ? "❚❚" : "▶");
    button.title = words;
    button.setAttribute("aria-label", words);
  }

  play() {
    if (this.at === this.game.frames.length - 1) this.show(0);
    this.timer = setInterval(() => { this.show(this.at + 1); if (this.at === this.game.frames.length - 1) this.pause(); }, PLAY_MS);
    this.name();
  }

  step(how) {
    if (!this.game) return;
    const was = this.timer;
    this.pause();
    const last = this.game.frames.length - 1, to = { first: 0, back: this.at - 1, on: this.at + 1, last };
    if (how === "turn") { this.flipped = !this.flipped; this.show(this.at); }
    else if (how === "play") { if (!was) this.play(); }
    else this.show(to[how]);
  }

  key(event) {
    const steps = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", f: "turn", " ": "play" };
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in steps)) return;
    if (event.key === " " && event.target.closest("button, a")) return;
    event.preventDefault();
    this.step(steps[event.key]);
  }
}

new Replay();
look();

// One game, a move at a time: what was on the table, what was asked, what was answered, what was remembered.
async function openGame(name) {
  const { match, number } = locate(name);
  const index = await chunks.read(match.index);
  const [first, , reference] = index.groups.findLast((group) => group[0] <= number);
  const chunk = await chunks.read(reference);
  return { match, number, index, lines: chunk.lines, ...chunk.games[number - first] };
}

class Replay {
  constructor(game, chosen) {
    this.game = game;
    this.chosen = chosen;
    this.flipped = false;
    this.table = h("div", { class: "table" });
    this.panel = h("div", { class: "panel" });
    this.said = h("p", { class: "sr", role: "status", "aria-live": "polite" });
    this.moves = h("ol", { class: "moves", "aria-label": "Moves" }, ...game.frames.map((frame, at) =>
      h("li", { class: `by${frame.by}` }, h("button", { type: "button", click: () => this.show(at) }, frame.label + (frame.drawn ? "*" : "")))));
  }

  element() {
    const { game } = this;
    const places = game.match.places.length === 2 ? `${game.match.places[0]}: ${game.first}, ${game.match.places[1]}: ${game.second}` : game.g;
    const button = (label, words, act) => h("button", { type: "button", "aria-label": words, title: words, click: act }, label);
    const controls = h("div", { class: "controls" },
      button("«", "Start (Home)", () => this.show(0)), button("‹", "One back (left arrow)", () => this.step(-1)),
      button("›", "One forward (right arrow)", () => this.step(1)), button("»", "End (End)", () => this.show(game.frames.length - 1)),
      button("⇅", "Turn the board (f)", () => this.flip()));
    const beside = (number, label) => number >= 0 && number < game.match.count
      ? h("a", { href: hashOf({ ...this.chosen, g: gameName(game.match, number), k: "" }), class: "beside" }, label) : "";
    return h("div", { class: "replay" },
      h("p", { class: "crumbs" }, h("a", { href: "#games" }, "Overview"), " › ", h("a", { href: hashOf({ ...this.chosen, g: "", k: "", m: game.match.id }) }, game.match.words),
        h("span", { class: "others" }, beside(this.neighbour(-1), "← previous (p)"), beside(this.neighbour(1), "next (n) →"))),
      h("h1", { tabindex: "-1" }, game.g),
      h("p", { class: "result" }, `${places}. ${game.result}`),
      h("div", { class: "stage" }, h("div", { class: "left" }, this.table, controls, this.moves), this.panel),
      game.frames.some((frame) => frame.drawn) ? h("p", {}, "* drawn at random from the seed in place of an illegal or missing action") : "",
      this.said);
  }

  // The next or previous game that the filters of the list leave.
  neighbour(step) {
    const { match, index } = this.game;
    for (let number = this.game.number + step; number >= 0 && number < match.count; number += step) if (fits(match, index, this.chosen, number)) return number;
    return -1;
  }

  step(by) {
    this.show(Math.min(Math.max(this.at + by, 0), this.game.frames.length - 1));
  }

  flip() {
    this.flipped = !this.flipped;
    this.show(this.at);
  }

  show(at) {
    const { game } = this;
    this.at = Math.min(Math.max(at || 0, 0), game.frames.length - 1);
    const frame = game.frames[this.at];
    const renderer = GAMES[game.match.game];
    this.table.replaceChildren(frame.lines || !renderer ? h("pre", {}, (frame.lines || []).join("\n")) : renderer.draw(frame, game, this.flipped));
    this.panel.replaceChildren(...this.told(frame));
    this.said.textContent = frame.said;
    for (const [number, item] of [...this.moves.children].entries()) {
      if (number === this.at) item.firstChild.setAttribute("aria-current", "step");
      else item.firstChild.removeAttribute("aria-current");
    }
    const current = this.moves.children[this.at];
    this.moves.scrollTop = current.offsetTop - this.moves.offsetTop - this.moves.clientHeight / 2;
    history.replaceState(null, "", hashOf({ ...this.chosen, g: game.g, k: this.at ? String(this.at) : "" }));
  }

  // What stands beside a frame: the decision that led to it, with all that was asked for it.
  told(frame) {
    const asked = this.game.asked.filter((one) => one.at === this.at);
    const recalled = (this.game.xray || []).filter((one) => one.at === this.at);
    const parts = [h("h2", {}, `${frame.label}${frame.drawn ? ", drawn from the seed" : ""}`)];
    for (const one of asked) if (one.kind === "chat") parts.push(this.chat(one));
    for (const one of recalled) parts.push(this.remembered(one));
    // What a search gave is told by the X-ray already.
    for (const one of asked) if (one.kind !== "chat" && !(one.kind === "search" && recalled.length)) parts.push(this.note(one));
    if (parts.length === 1) parts.push(h("p", {}, "Nothing was asked here."));
    return parts;
  }

  text(numbers) {
    return numbers.map((number) => this.game.lines[number]).join("\n");
  }

  chat(one) {
    const tokens = one.tokens && one.tokens.some(Boolean) ? `${one.tokens[0].toLocaleString("en")} tokens in, ${one.tokens[1].toLocaleString("en")} out` + (one.tokens[2] ? ` (${one.tokens[2].toLocaleString("en")} of them reasoning)` : "") : "";
    const facts = [one.what, tokens, `${(one.us / 1e6).toPrecision(3)} s`, one.finish && one.finish !== "stop" ? `ended by ${one.finish}` : "", one.failed ? `${one.failed} failed tries` : ""];
    const words = one.prompt.reduce((sum, [, numbers]) => sum + this.text(numbers).length, 0);
    const prompt = h("details", { class: "prompt", open: keptOpen.has("prompt"), toggle: (event) => (event.target.open ? keptOpen.add("prompt") : keptOpen.delete("prompt")) },
      h("summary", {}, `Prompt, ${words.toLocaleString("en")} characters`),
      ...one.prompt.flatMap(([role, numbers]) => [h("h4", {}, role), h("pre", { dir: "auto" }, this.text(numbers))]));
    const reply = one.reply ? h("pre", { class: "reply", dir: "auto" }, this.text(one.reply)) : h("p", { class: "reply none" }, `no reply: ${one.none}`);
    return h("section", { class: "chat" }, h("h3", {}, `${one.to} answers`, h("small", {}, ` ${facts.filter(Boolean).join(" · ")}`)), reply, prompt);
  }

  note(one) {
    return h("pre", { class: `note ${one.kind}` }, this.text(one.lines));
  }

  remembered(one) {
    const entries = one.recalled.map(([entry, source, numbers]) => h("li", {},
      source ? h("a", { href: hashOf({ g: source, k: "end" }) }, `${entry}, kept at the end of ${source}`) : entry, numbers.length && this.text(numbers) ? h("pre", { dir: "auto" }, this.text(numbers)) : " (not told: the placebo stood in its place)"));
    const instead = one.instead.length ? [h("h4", {}, "What stood in the prompt instead: the placebo"), h("pre", { dir: "auto", class: "placebo" }, this.text(one.instead))] : [];
    const without = one.without === null ? "" : one.changes ? `Without it: ${one.without}` : "Without it the decision is the same.";
    const steered = one.steered ? h("p", {}, `Read ${one.steered.passages} passages; said ${one.steered.named}; examined ${one.steered.examined}.`) : "";
    return h("section", { class: `xray ${one.changes ? "changes" : ""}` }, h("h3", {}, `${one.instead.length ? "Found" : "Remembered"} ${one.recalled.length} ${one.recalled.length === 1 ? "entry" : "entries"}`),
      one.recalled.length ? h("ul", {}, ...entries) : h("p", {}, "Nothing."), ...instead, steered, h("p", {}, h("strong", {}, without)));
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const jump = (number) => { if (number >= 0) location.hash = hashOf({ ...this.chosen, g: gameName(this.game.match, number), k: "" }); };
    const acts = {
      ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), Home: () => this.show(0),
      End: () => this.show(this.game.frames.length - 1), f: () => this.flip(),
      n: () => jump(this.neighbour(1)), p: () => jump(this.neighbour(-1)),
    };
    if (acts[event.key]) {
      event.preventDefault();
      acts[event.key]();
    }
  }
}

const keptOpen = new Set();

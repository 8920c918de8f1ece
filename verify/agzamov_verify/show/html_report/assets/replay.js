// One game, an action at a time: the table, its evaluation, the actions, and what was asked and answered beside them.
const SPEEDS = [["4000", "¼×"], ["2000", "½×"], ["1000", "1×"], ["400", "2½×"]]; // 1×: an action a second
const PLAYING = { speed: 1000 };

async function openGame(name) {
  const { match, number } = locate(name);
  const index = await chunks.read(match.index);
  const [first, , reference] = index.groups.findLast((group) => group[0] <= number);
  const games = await chunks.readGames(reference);
  return { match, number, index, g: name, ...games[number - first] };
}

class Replay {
  constructor(game, chosen) {
    this.game = game;
    this.chosen = chosen;
    this.flipped = false;
    this.timer = null;
    this.renderer = game.frames.some((frame) => frame.lines) ? null : GAMES[game.match.game];
    this.decided = new Decisions(game);
    this.graph = this.renderer?.hasScores ? new Graph(game, (at) => this.jump(at)) : null;
    this.table = h("div", { class: "table" });
    this.panel = h("div", { class: "panel", role: "region", "aria-label": "What was asked and answered" });
    this.said = h("p", { class: "sr", role: "status", "aria-live": "polite" });
    this.buttons = game.frames.map((frame, at) => this.moveButton(frame, at));
    const rows = this.renderer?.rows ? this.renderer.rows(game, this.buttons) : this.buttons;
    this.moves = h("div", { class: `moves ${this.renderer?.rowsKind || "flat"}`, role: "group", "aria-label": `${capital(this.decided.action)}s` }, ...rows);
    const found = selected(game.match, game.index, chosen);
    const place = found.indexOf(game.number);
    this.beside = place < 0 ? [game.number - 1, game.number + 1] : [found[place - 1] ?? -1, found[place + 1] ?? -1];
  }

  unusableAt(at) {
    return this.game.unusable.filter(([frame]) => frame === at);
  }

  // How many decisions a place made: its actions, and one that lost the game.
  decisions(place) {
    return this.game.frames.filter((frame) => frame.by === place).length + this.game.unusable.filter(([, by, , , then]) => by === place && then === "lost").length;
  }

  // False of a game that is shown as one text: who did what in it is not known here.
  hasActions() {
    return this.game.unusable.length > 0 || this.game.frames.some((frame) => frame.by >= 0);
  }

  moveButton(frame, at) {
    const bad = this.unusableAt(at);
    const words = bad.map(([, , kind]) => whyUnusable(kind, this.decided.action)).join(", ");
    const name = this.renderer?.cell ? this.renderer.cell(frame, at, this.game) : frame.label;
    const score = this.graph?.at(frame);
    const marks = bad.length || frame.drawn ? [h("span", { class: "bad", "aria-hidden": "true" }, "✗"), hidden(`, unusable answer: ${words || "replaced"}`)] : [];
    return h("button", { type: "button", tabindex: "-1", title: words ? `Unusable answer: ${words}` : null, class: marks.length ? "unusable" : null, click: () => this.jump(at) },
      h("span", {}, name), ...marks, score ? h("small", {}, score) : "");
  }

  element() {
    const { game } = this;
    return h("div", { class: "replay" }, this.crumbs(), h("h1", { tabindex: "-1", class: "game" }, `${gameTitle(game.match, game.number)}: ${game.title}`), this.head(),
      h("div", { class: `stage ${this.graph ? "with-graph" : ""}` },
        h("div", { class: "left" }, h("div", { class: "with-bar" }, this.graph?.isScored ? this.graph.bar : "", this.table),
          h("div", { class: "under" }, this.controls(), this.options()), this.graph ? this.graph.element() : ""),
        this.moves, this.panel),
      this.said);
  }

  crumbs() {
    const { match } = this.game;
    const beside = (number, label) => number >= 0 && number < match.count
      ? h("a", { href: hashOf({ ...this.chosen, g: gameName(match, number), k: "" }), class: "beside" }, label) : h("span", { class: "beside none" }, label);
    return h("p", { class: "crumbs" }, h("a", { href: "#games" }, "Overview"), " › ", h("a", { href: hashOf({ m: match.id, ...only(this.chosen) }) }, match.words),
      h("span", { class: "others" }, beside(this.beside[0], "← previous (p)"), beside(this.beside[1], "next (n) →")));
  }

  head() {
    const { game } = this;
    const players = !this.hasActions() ? [] : game.placed.map((name, place) => {
      const bad = game.unusable.filter(([, by]) => by === place).length;
      const count = `${bad} of ${counted(this.decisions(place), "answer")} unusable`;
      const words = bad ? h("strong", { class: "unusable" }, count) : count;
      return h("li", {}, h("b", {}, name), ` (${game.match.places[place]}): `, words);
    });
    return h("div", { class: "head" }, h("p", { class: "result" }, `${game.result}. `, h("small", {}, game.g)),
      h("ul", { class: "counts" }, ...players, game.unusable.length ? h("li", {}, h("button", { type: "button", click: () => this.nextUnusable() }, "Next unusable answer (u)")) : ""));
  }

  controls() {
    const button = (label, words, act, kind = "") => h("button", { type: "button", "aria-label": words, title: words, class: kind || null, click: act }, label);
    this.playButton = button("▶\uFE0E", "Play (space)", () => this.play(), "play");
    return h("div", { class: "controls", role: "group", "aria-label": "Steps of the game" },
      button("«", "Start (Home)", () => this.jump(0)), button("‹", "One back (left arrow)", () => this.step(-1)), this.playButton,
      button("›", "One forward (right arrow)", () => this.step(1)), button("»", "End (End)", () => this.jump(this.game.frames.length - 1)));
  }

  options() {
    const speed = h("select", { name: "speed", change: () => this.setSpeed(Number(speed.value)) }, ...SPEEDS.map(([value, words]) => h("option", { value, selected: Number(value) === PLAYING.speed }, words)));
    return h("div", { class: "options" }, h("label", {}, "Speed ", speed), h("button", { type: "button", "aria-label": "Turn the table (f)", title: "Turn the table (f)", click: () => this.flip() }, "⇅ Turn"));
  }

  // --- what a person does ---

  jump(at) {
    this.pause();
    this.show(at);
  }

  step(by) {
    this.jump(this.at + by);
  }

  flip() {
    this.flipped = !this.flipped;
    this.show(this.at);
  }

  nextUnusable() {
    const frames = this.game.unusable.map(([at]) => at);
    if (frames.length) this.jump(frames.find((at) => at > this.at) ?? frames[0]);
  }

  play() {
    if (this.timer) {
      this.pause();
      return;
    }
    if (this.at === this.game.frames.length - 1) this.show(0);
    this.timer = setInterval(() => this.forward(), PLAYING.speed);
    this.tellPlaying("❚❚", "Pause (space)");
  }

  forward() {
    if (!this.table.isConnected) this.pause();
    else if (this.at >= this.game.frames.length - 1) this.pause();
    else this.show(this.at + 1);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.tellPlaying("▶\uFE0E", "Play (space)");
  }

  setSpeed(milliseconds) {
    PLAYING.speed = milliseconds;
    if (this.timer) {
      this.pause();
      this.play();
    }
  }

  tellPlaying(label, words) {
    if (!this.playButton) return;
    this.playButton.textContent = label;
    this.playButton.title = words;
    this.playButton.setAttribute("aria-label", words);
  }

  // --- what is shown ---

  show(at) {
    const { game } = this;
    const last = game.frames.length - 1;
    this.at = Math.min(Math.max(at || 0, 0), last);
    const frame = game.frames[this.at];
    this.table.replaceChildren(!this.renderer ? h("pre", {}, (frame.lines || []).join("\n")) : this.renderer.draw(frame, game, this.flipped, this.at));
    this.graph?.show(this.at, this.flipped);
    this.panel.replaceChildren(...this.told(frame));
    this.panel.querySelectorAll("pre.reply").forEach((reply) => { reply.scrollTop = (reply.querySelector("mark")?.offsetTop ?? 0) - reply.offsetTop; });
    this.said.textContent = this.sentence(frame);
    this.mark();
    history.replaceState(null, "", hashOf({ ...this.chosen, g: game.g, k: this.at ? String(this.at) : "" }));
  }

  mark() {
    const isInside = this.moves.contains(document.activeElement);
    for (const [number, button] of this.buttons.entries()) {
      button.tabIndex = number === this.at ? 0 : -1;
      if (number === this.at) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    const current = this.buttons[this.at];
    if (isInside) current.focus({ preventScroll: true });
    const box = current.getBoundingClientRect(), around = this.moves.getBoundingClientRect();
    this.moves.scrollTop += box.top - around.top - around.height / 2;
    this.moves.scrollLeft += box.left - around.left - around.width / 2;
  }

  sentence(frame) {
    const said = frame.said || this.renderer?.said?.(frame, this.game, this.at) || frame.label;
    const score = this.graph?.at(frame);
    const bad = this.unusableAt(this.at).map(([, , kind, , then]) => `unusable answer: ${whyUnusable(kind, this.decided.action)}, ${then}`);
    return [said, score, ...bad].filter(Boolean).join("; ");
  }

  // What stands beside a frame. Where nothing was asked, the whole game in numbers, and at the end the last decision.
  told(frame) {
    const parts = this.decided.told(this.at);
    const isEnd = this.at === this.game.frames.length - 1;
    const by = frame.by >= 0 ? h("small", {}, ` by ${this.game.placed[frame.by]}, ${this.game.match.places[frame.by]}`) : "";
    const title = this.renderer?.heading ? h("h2", {}, this.renderer.heading(frame, this.game, this.at)) : h("h2", {}, frame.label, by);
    if (parts.some((part) => part.matches(".chat"))) return [title, ...parts];
    const told = [title, ...(isEnd ? [h("p", {}, `${this.game.result}.`)] : []), ...(this.hasActions() ? [this.decided.totals(this)] : []), ...parts];
    const before = this.game.asked.findLast((one) => one.kind === "chat" && !one.over && !one.planted && one.at < this.at);
    if (isEnd && before) {
      told.push(h("h3", { class: "last" }, "The last decision", h("button", { type: "button", click: () => this.jump(before.at) }, "Go there")), ...this.decided.told(before.at));
    }
    return told;
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const isPressed = /^(BUTTON|A|SUMMARY)$/.test(event.target.tagName);
    const open = (number) => { if (number >= 0 && number < this.game.match.count) location.hash = hashOf({ ...this.chosen, g: gameName(this.game.match, number), k: "" }); };
    const acts = {
      ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1), Home: () => this.jump(0),
      End: () => this.jump(this.game.frames.length - 1), f: () => this.flip(), u: () => this.nextUnusable(),
      n: () => open(this.beside[1]), p: () => open(this.beside[0]), ...(isPressed ? {} : { " ": () => this.play() }),
    };
    if (acts[event.key]) {
      event.preventDefault();
      acts[event.key]();
    }
  }
}

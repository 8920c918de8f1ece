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
    this.panel = h("div", { class: "panel", role: "region", "aria-label": "What was asked and answered" });
    this.said = h("p", { class: "sr", role: "status", "aria-live": "polite" });
    this.moves = h("ol", { class: "moves", "aria-label": "Moves" }, ...game.frames.map((frame, at) =>
      h("li", { class: `by${frame.by}` }, h("button", { type: "button", click: () => this.show(at) }, frame.label + (frame.drawn ? "*" : "")))));
  }

  element() {
    const { game } = this;
    const places = game.placed.map((seat, place) => `${game.match.places[place]}: ${seat}`).join(", ");
    const button = (label, words, act) => h("button", { type: "button", "aria-label": words, title: words, click: act }, label);
    const controls = h("div", { class: "controls", role: "group", "aria-label": "Steps of the game" },
      button("«", "Start (Home)", () => this.show(0)), button("‹", "One back (left arrow)", () => this.step(-1)),
      button("›", "One forward (right arrow)", () => this.step(1)), button("»", "End (End)", () => this.show(game.frames.length - 1)),
      button("⇅", "Turn the board (f)", () => this.flip()));
    const beside = (number, label) => number >= 0 && number < game.match.count
      ? h("a", { href: hashOf({ ...this.chosen, g: gameName(game.match, number), k: "" }), class: "beside" }, label) : "";
    return h("div", { class: "replay" },
      h("p", { class: "crumbs" }, h("a", { href: "#games" }, "Overview"), " › ", h("a", { href: hashOf({ ...this.chosen, g: "", k: "", m: game.match.id }) }, game.match.words),
        h("span", { class: "others" }, beside(this.neighbour(-1), "← previous (p)"), beside(this.neighbour(1), "next (n) →"))),
      h("h1", { tabindex: "-1", class: "game" }, game.g),
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

  // What stands beside a frame: the decision that led to it first, then what was remembered, then the steps before it,
  // then planted questions, which are no part of the game.
  told(frame) {
    const asked = this.game.asked.filter((one) => one.at === this.at);
    const recalled = (this.game.xray || []).filter((one) => one.at === this.at);
    const planted = asked.filter((one) => one.planted);
    const chats = asked.filter((one) => one.kind === "chat" && !one.over && !one.planted);
    const decided = chats.at(-1);
    const before = chats.slice(0, -1);
    const after = asked.filter((one) => one.kind === "chat" && one.over && !one.planted);
    // What a search gave stands in the X-ray, or beside the call that made it.
    const isTold = recalled.length || asked.some((one) => one.calls && one.calls.length);
    const others = asked.filter((one) => one.kind !== "chat" && !(one.kind === "search" && isTold));
    this.recalled = new Set(recalled.map((one) => one.recalled.map(([, , content, instead]) => this.text(content.length ? content : instead)).join("\n")));
    const parts = [h("h2", {}, `${frame.label}${frame.drawn ? ", drawn from the seed" : ""}`)];
    if (decided) parts.push(this.chat(decided, before.length > 0));
    for (const one of recalled) parts.push(this.remembered(one));
    if (before.length) parts.push(this.steps(`Before that: ${before.length} ${before.length === 1 ? "step" : "steps"}`, before));
    if (after.length) parts.push(this.steps("After the contest", after));
    if (planted.length) parts.push(this.steps("Beside the game", planted));
    if (others.length) parts.push(h("div", { class: "notes" }, ...others.map((one) => this.note(one))));
    if (parts.length === 1) parts.push(h("p", {}, "Nothing was asked here."));
    return parts;
  }

  text(numbers) {
    return numbers.map((number) => this.game.lines[number]).join("\n");
  }

  block(numbers, kind = "") {
    return h("pre", { dir: "auto", class: kind || null }, this.text(numbers));
  }

  // Something folded that stays as it was left from move to move.
  fold(kind, words, ...children) {
    return h("details", { open: keptOpen.has(kind), toggle: (event) => (event.target.open ? keptOpen.add(kind) : keptOpen.delete(kind)) },
      h("summary", {}, words), ...children);
  }

  steps(title, chats) {
    return h("section", { class: "steps" }, h("h3", {}, title), h("ol", {}, ...chats.map((one) => h("li", {}, this.chat(one, false, true)))));
  }

  chat(one, isLast, isStep = false) {
    const calls = one.calls || [];
    const count = (number) => number.toLocaleString("en");
    const tokens = one.tokens && one.tokens.some(Boolean) ? `${count(one.tokens[0])} tokens in, ${count(one.tokens[1])} out` + (one.tokens[2] ? ` (${count(one.tokens[2])} of them reasoning)` : "") : "";
    const facts = [one.what, tokens, `${(one.us / 1e6).toPrecision(3)} s`, one.finish && one.finish !== "stop" ? `ended by ${one.finish}` : "", one.failed ? `${one.failed} failed tries` : ""];
    const reply = one.none !== undefined ? h("p", { class: "reply none" }, `no reply: ${one.none}`)
      : calls.length && !this.text(one.reply).trim() ? "" : this.block(one.reply, "reply");
    const words = calls.length ? "calls a tool" : isLast ? "decides" : "answers";
    return h("section", { class: isStep ? "chat step" : "chat" }, h(isStep ? "h4" : "h3", {}, `${one.to} ${words}`, h("small", {}, ` ${facts.filter(Boolean).join(" · ")}`)),
      reply, ...calls.map((call) => this.call(call)), isStep ? this.fold("step prompt", "Its prompt", this.prompt(one)) : this.prompt(one));
  }

  call([name, given, told]) {
    const [words, answer] = [this.text(given), this.text(told)];
    const isRecalled = answer && this.recalled.has(answer);
    const then = !answer ? "Nothing was asked after it." : isRecalled ? "It was told what stands above, as remembered." : "It was told:";
    return h("div", { class: "call" }, h("p", {}, h("code", {}, name), words ? "" : " without arguments"),
      words ? this.block(given, "given") : "", h("p", {}, h("small", {}, then)), answer && !isRecalled ? this.block(told, "told") : "");
  }

  // A prompt, folded by its parts.
  prompt(one) {
    const length = one.prompt.reduce((sum, [, numbers]) => sum + this.text(numbers).length, 0);
    const parts = one.prompt.flatMap(([role, numbers, ...sections], place) => {
      const isFirst = one.prompt.findIndex(([other]) => other === role) === place;
      const named = { system: "Rules", user: isFirst ? "Situation" : "What it was told then", assistant: "What it had answered", tool: "What its tool told" };
      const starts = [[0, named[role] || role], ...sections];
      return starts.map(([start, title], number) => [title, numbers.slice(start, starts[number + 1]?.[0])]);
    });
    return h("div", { class: "prompt" }, h("h4", {}, `Prompt, ${length.toLocaleString("en")} characters`),
      ...parts.map(([title, numbers]) => this.fold(title, title, h("pre", { dir: "auto", tabindex: "0", "aria-label": title }, this.text(numbers)))));
  }

  note(one) {
    return one.lines.length ? this.fold(one.kind, one.what, this.block(one.lines, "note")) : h("p", { class: "note" }, one.what);
  }

  // Memory X-ray: each entry with the place where it was kept, and what the seat does without them.
  remembered(one) {
    const number = `${one.recalled.length} ${one.recalled.length === 1 ? "entry" : "entries"}`;
    const isPlacebo = one.instead.length > 0 || one.recalled.some(([, , content]) => !content.length);
    const isPaired = one.recalled.some(([, , , instead]) => instead.length);
    const title = !one.recalled.length ? "Nothing was remembered" : isPlacebo ? `${one.arm === "filler" ? "Filler" : "A placebo"} stood in the place of ${number}` : `Remembered ${number}`;
    const steered = one.steered ? h("p", {}, `It read ${one.steered.passages} passages of its documents${one.without === null ? ` and named ${one.steered.named}` : ""}; its tool looked at ${one.steered.examined}.`) : "";
    const whole = isPlacebo && !isPaired && one.instead.length ? [h("h4", {}, `Told by the ${one.arm}, in the place of all of them`), this.block(one.instead, "placebo")] : [];
    return h("section", { class: `xray ${one.changes ? "changes" : ""}` }, h("h3", {}, title), this.effect(one), steered, ...whole,
      one.recalled.length ? h("ul", {}, ...one.recalled.map((entry) => this.entry(entry, isPlacebo && one.arm))) : "");
  }

  // insteadOf: the arm whose text stood in the place of the entry, if one did.
  entry([name, [source, frame], content, instead, own], insteadOf) {
    const short = source.startsWith(`${this.game.match.id}-`) ? source.slice(this.game.match.id.length + 1) : source;
    const words = `${name}, kept at ${frame === "end" ? "the end" : `action ${frame}`} of ${short}`;
    const link = source ? h("a", { href: hashOf({ g: source, k: String(frame) }) }, words) : name;
    if (!insteadOf) return h("li", {}, link, this.block(content));
    const told = instead.length ? [h("small", {}, `told by the ${insteadOf}`), this.block(instead, "placebo")] : [];
    return h("li", {}, ...told, h("small", {}, "in the place of its own entry "), link, own.length ? this.fold("own entry", "What that entry says", this.block(own)) : "");
  }

  effect(one) {
    if (!one.recalled.length) return "";
    if (one.without === null) return h("p", { class: "effect" }, h("small", {}, "It is a model: what it would do without this cannot be known from a bundle."));
    const pair = (name, value, kind = "") => h("div", { class: kind }, h("dt", {}, name), h("dd", {}, value));
    return h("dl", { class: "effect" }, pair(one.recalled.length > 1 ? "With them" : "With it", one.steered ? one.steered.named : one.action),
      pair("Taken out", one.changes ? one.without : "the same", one.changes ? "changed" : ""));
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

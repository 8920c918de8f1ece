// What stands beside the table: what was asked and answered at a frame, what was remembered, what a tool told.
const keptOpen = new Set();
const PEEK_LINES = 3;
// Parts of a prompt that an augmentation put there, and which.
const ADDED = { "Passages of its documents": "documents", "Its tool's answer": "tools", "What its tool told": "tools", "Of its opponent": "memory" };

function seconds(microseconds) {
  if (microseconds < 1000) return "under 0.001 s";
  return `${Number((microseconds / 1e6).toPrecision(3)).toLocaleString("en")} s`;
}

class Decisions {
  constructor(game) {
    this.game = game;
    this.action = actionOf(game.match);
  }

  // The decision that led to the frame first, then what was remembered, then the steps before it, then planted
  // questions, which are no part of the game.
  told(at) {
    const asked = this.game.asked.filter((one) => one.at === at);
    const recalled = (this.game.xray || []).filter((one) => one.at === at);
    const planted = asked.filter((one) => one.planted);
    const chats = asked.filter((one) => one.kind === "chat" && !one.over && !one.planted);
    const decided = chats.at(-1);
    const before = chats.slice(0, -1);
    const after = asked.filter((one) => one.kind === "chat" && one.over && !one.planted);
    // What a search gave stands in the X-ray, or beside the call that made it.
    const isTold = recalled.length || asked.some((one) => one.calls && one.calls.length);
    const others = asked.filter((one) => one.kind !== "chat" && !(one.kind === "search" && isTold));
    this.recalled = new Set(recalled.map((one) => one.recalled.map(([, , content, instead]) => this.text(content.length ? content : instead)).join("\n")));
    this.arm = recalled.length ? recalled[0].arm : "";
    const parts = this.game.unusable.filter(([frame]) => frame === at).map((one) => this.unusable(one));
    if (decided) parts.push(this.chat(decided, { isLast: before.length > 0 }));
    for (const one of recalled) parts.push(this.remembered(one));
    if (before.length) parts.push(this.steps(`Before that: ${counted(before.length, "step")}`, before));
    if (after.length) parts.push(this.steps(`After the ${this.game.match.noun[0]}`, after));
    if (planted.length) parts.push(this.steps("Beside the game", planted));
    if (others.length) parts.push(h("div", { class: "notes" }, ...others.map((one) => this.note(one))));
    return parts;
  }

  text(lines) {
    return lines.join("\n");
  }

  block(lines, kind = "") {
    return h("pre", { dir: "auto", class: kind || null }, this.text(lines));
  }

  // Something folded that stays as it was left from move to move.
  fold(kind, words, ...children) {
    return h("details", { open: keptOpen.has(kind), toggle: (event) => (event.target.open ? keptOpen.add(kind) : keptOpen.delete(kind)) },
      h("summary", {}, words), ...children);
  }

  steps(title, chats) {
    return h("section", { class: "steps" }, h("h3", {}, title), h("ol", {}, ...chats.map((one) => h("li", {}, this.chat(one, { isStep: true })))));
  }

  unusable([, place, kind, why, then]) {
    const next = { replaced: `A random legal ${this.action}, drawn from the sealed seed, was played in its place.`, "asked again": "It was told why and asked again.", lost: `It was the last try, so the ${this.game.match.noun[0]} was lost.` }[then];
    return h("p", { class: "fault-note" }, h("strong", {}, `${then === "asked again" ? "First answer unusable" : "Unusable answer"}: ${whyUnusable(kind, this.action)}.`),
      ` ${this.game.placed[place]}: ${why}. ${next}`);
  }

  // One call with its reply and its prompt. isLast: steps came before it; isStep: it is one of those.
  chat(one, { isLast = false, isStep = false }) {
    const calls = one.calls || [];
    const count = (number) => number.toLocaleString("en");
    const tokens = one.tokens && one.tokens.some(Boolean) ? `${count(one.tokens[0])} tokens in, ${count(one.tokens[1])} out` + (one.tokens[2] ? ` (${count(one.tokens[2])} of them reasoning)` : "") : "";
    const facts = [one.what, tokens, seconds(one.us), one.finish && one.finish !== "stop" ? `ended by ${one.finish}` : "", one.failed ? counted(one.failed, "failed try", "failed tries") : ""];
    const words = calls.length ? "calls a tool" : isLast ? "decides" : "answers";
    return h("section", { class: isStep ? "chat step" : "chat" }, h(isStep ? "h4" : "h3", {}, `${one.to} ${words}`, h("small", {}, ` ${facts.filter(Boolean).join(" · ")}`)),
      this.reply(one, calls), ...calls.map((call) => this.call(call)), isStep ? this.fold("step prompt", "Its prompt", this.prompt(one)) : this.prompt(one));
  }

  // The reply word for word, with the line that declares the action marked.
  reply(one, calls) {
    if (one.none !== undefined) return h("p", { class: "reply none" }, `no reply: ${one.none}`);
    if (calls.length && !this.text(one.reply).trim()) return "";
    const lines = one.reply;
    const reply = h("pre", { dir: "auto", class: "reply", tabindex: "0", "aria-label": `Reply of ${one.to}` });
    if (one.declared === undefined) {
      reply.append(lines.join("\n") || "(an empty reply)");
      return reply;
    }
    const isUsed = !this.game.unusable.some(([at, , , , then]) => at === one.at && then !== "asked again");
    const before = lines.slice(0, one.declared).join("\n"), after = lines.slice(one.declared + 1).join("\n");
    reply.append(before + (before || one.declared ? "\n" : ""), h("mark", { class: isUsed ? "declared" : "declared bad" }, lines[one.declared]), after ? `\n${after}` : "");
    return reply;
  }

  call([name, given, told]) {
    const [words, answer] = [this.text(given), this.text(told)];
    const isRecalled = answer && this.recalled.has(answer);
    const then = !answer ? "Nothing was asked after it." : isRecalled ? "It was told what stands above, as remembered." : "It was told:";
    return h("div", { class: "call" }, h("p", {}, h("code", {}, name), words ? "" : " without arguments"),
      words ? this.block(given, "given") : "", h("p", {}, h("small", {}, then)), answer && !isRecalled ? this.block(told, "told") : "");
  }

  // A prompt by its parts, each folded behind its first lines; what an augmentation added says so.
  prompt(one) {
    const length = one.prompt.reduce((sum, [, lines]) => sum + this.text(lines).length, 0);
    const parts = one.prompt.flatMap(([role, lines, ...sections], place) => {
      const isFirst = one.prompt.findIndex(([other]) => other === role) === place;
      const named = { system: "Rules", user: isFirst ? "Situation" : "What it was told then", assistant: "What it had answered", tool: "What its tool told" };
      const starts = [[0, named[role] || role], ...sections];
      return starts.map(([start, title], number) => [title, lines.slice(start, starts[number + 1]?.[0])]);
    });
    return h("div", { class: "prompt" }, h("h4", {}, `Prompt, ${length.toLocaleString("en")} characters`), ...parts.map(([title, lines]) => this.part(title, lines)),
      ...(one.pictures || []).map((picture) => this.picture(picture)));
  }

  // An image that the seat was shown, of runs of pixels: "a32b56" is 32 of the first colour and 56 of the second.
  picture([words, width, height, colours, rows]) {
    const canvas = h("canvas", { width, height, role: "img", "aria-label": words });
    const brush = canvas.getContext("2d");
    rows.forEach((row, y) => {
      let x = 0;
      for (const [, colour, count] of row.matchAll(/([a-p])([0-9]+)/g)) {
        brush.fillStyle = colours[colour.charCodeAt(0) - 97];
        brush.fillRect(x, y, Number(count), 1);
        x += Number(count);
      }
    });
    return h("figure", { class: "shown" }, rows.length ? canvas : "", h("figcaption", {}, rows.length ? "The image as the seat was shown it: drawn again from the sealed position, with the sealed digest" : words));
  }

  part(title, shown) {
    const text = this.text(shown);
    const by = ADDED[title] === "memory" && !this.game.xray ? "" : ADDED[title];
    const placebo = by === "memory" && this.arm && this.arm !== "real" ? ` (${this.arm})` : "";
    const lines = text.split("\n").filter((line) => line.trim());
    const isHeaded = lines.length > 1 && lines[0].endsWith(":"); // by its title, in the prompt's own words
    const peek = lines.slice(isHeaded ? 1 : 0).slice(0, title === "Situation" || by ? PEEK_LINES : 1).join("\n");
    const folded = this.fold(title, "", h("pre", { dir: "auto", tabindex: "0", "aria-label": title }, text));
    folded.className = by ? "part added" : "part";
    folded.firstChild.append(h("b", {}, title), by ? h("span", { class: "by" }, ` added by ${by}${placebo}`) : "", h("span", { class: "peek", "aria-hidden": "true" }, peek));
    return folded;
  }

  note(one) {
    return one.lines.length ? this.fold(one.kind, one.what, this.block(one.lines, "note")) : h("p", { class: "note" }, one.what);
  }

  // Memory X-ray: each entry with the place where it was kept, and what the seat does without them.
  remembered(one) {
    const number = counted(one.recalled.length, "entry", "entries");
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
    const words = source ? `${name}, kept at ${frame === "end" ? "the end" : `action ${frame}`} of ${this.nameOf(source)}` : name;
    const link = source ? h("a", { href: hashOf({ g: source, k: String(frame) }) }, words) : name;
    if (!insteadOf) return h("li", {}, link, this.block(content));
    const told = instead.length ? [h("small", {}, `told by the ${insteadOf}`), this.block(instead, "placebo")] : [];
    return h("li", {}, ...told, h("small", {}, "in the place of its own entry "), link, own.length ? this.fold("own entry", "What that entry says", this.block(own)) : "");
  }

  nameOf(source) {
    const { match, number } = locate(source);
    return match === this.game.match ? gameTitle(match, number).toLowerCase() : source;
  }

  effect(one) {
    if (!one.recalled.length) return "";
    if (one.without === null) return h("p", { class: "effect" }, h("small", {}, "It is a model: what it would do without this cannot be known from a bundle."));
    const pair = (name, value, kind = "") => h("div", { class: kind }, h("dt", {}, name), h("dd", {}, value));
    return h("dl", { class: "effect" }, pair(one.recalled.length > 1 ? "With them" : "With it", one.steered ? one.steered.named : one.action),
      pair("Taken out", one.changes ? one.without : "the same", one.changes ? "changed" : ""));
  }

  // Each player's answers in the whole game: how many, how many of them unusable, tokens and time.
  totals(replay) {
    const { game } = this;
    const rows = game.placed.map((name, place) => {
      const chats = game.asked.filter((one) => one.kind === "chat" && !one.planted && game.frames[one.at].by === place);
      const sum = (value) => chats.reduce((all, one) => all + value(one), 0);
      const bad = game.unusable.filter(([, by]) => by === place);
      const first = bad.length ? h("button", { type: "button", class: "unusable", click: () => replay.show(bad[0][0]) }, `${bad.length}: to the first`) : "none";
      const tokens = sum((one) => (one.tokens ? one.tokens[0] + one.tokens[1] : 0));
      return h("tr", {}, h("th", { scope: "row" }, `${capital(game.match.places[place])}: ${name}`), h("td", {}, String(replay.decisions(place))), h("td", {}, first),
        h("td", {}, tokens ? tokens.toLocaleString("en") : "–"), h("td", {}, seconds(sum((one) => one.us))));
    });
    return h("div", { class: "scroll" }, h("table", { class: "summary" }, h("thead", {}, h("tr", {}, ...["player", "answers", "unusable", "tokens", "time"].map((words) => h("th", { scope: "col" }, words)))), h("tbody", {}, ...rows)));
  }
}

const AGAIN_MS = 1000;
const at = (id) => document.getElementById(id);
const DRAWS = { open: " Your opponent offers a draw: take it, or play on.", declined: " Your draw offer was declined." };
const STEPS = ["consent", "game", "result", "over"];

function say(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** A person's page: it shows the state that its server tells, and sends what the person does. */
class Play {
  constructor() {
    this.state = { version: 0 };
    this.sending = "";
    this.asked = 0;
    this.armed = false;
    this.disarming = 0;
    this.hadFocus = false;
    this.chess = new ChessMoves((action) => this.answer(action));
    this.bets = new Bets((action) => this.answer(action));
    at("accept").addEventListener("click", () => this.post("consent", { accepted: true, sha256: this.state.sha256 }));
    at("decline").addEventListener("click", () => this.post("consent", { accepted: false, sha256: this.state.sha256 }));
    at("next").addEventListener("click", () => this.next());
    at("resign").addEventListener("click", () => this.resign());
    addEventListener("keydown", (event) => this.key(event));
    setInterval(() => this.tick(), 250);
    this.follow();
  }

  async follow() {
    for (;;) {
      try {
        const answer = await fetch(`state.json?after=${this.state.version}`, { cache: "no-store" });
        if (!answer.ok) throw new Error(String(answer.status));
        const state = await answer.json();
        at("lost").hidden = true;
        if (state.version !== this.state.version) this.render(state);
        if (state.is_final && state.step === "over") return;
      } catch (error) {
        if (this.state.is_final) return;
        at("lost").hidden = Boolean(this.state.over);
        this.state.version = 0;
        await sleep(AGAIN_MS);
      }
    }
  }

  /** Send until it has arrived: the server takes the same move twice as one. */
  async post(what, body) {
    for (;;) {
      try {
        const answer = await fetch(what, { method: "POST", cache: "no-store", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
        const told = answer.headers.get("Content-Type").startsWith("application/json") ? await answer.json() : { why: `${answer.status} ${answer.statusText}` };
        say(at("refused"), told.why ? `Not taken: ${told.why}.` : "");
        at("refused").hidden = !told.why;
        return;
      } catch (error) {
        at("lost").hidden = false;
        await sleep(AGAIN_MS);
      }
    }
  }

  async answer(action) {
    const { question } = this.state;
    if (!question || this.sending === question.id) return;
    this.sending = question.id;
    this.disarm();
    await this.post("answer", action === null ? { question: question.id } : { question: question.id, action });
    this.sending = "";
  }

  next() {
    if (this.state.result) this.post("next", { number: this.state.result.number });
  }

  resign() {
    if (this.armed) return this.answer(null);
    this.armed = true;
    say(at("resign"), "Resign: press again");
    this.disarming = setTimeout(() => this.disarm(), 4000);
    return undefined;
  }

  disarm() {
    clearTimeout(this.disarming);
    this.armed = false;
    say(at("resign"), "Resign");
  }

  render(state) {
    const before = this.state;
    this.state = state;
    const step = ["question", "waiting"].includes(state.step) ? "game" : state.step === "declined" ? "over" : state.step;
    for (const name of STEPS) at(name).hidden = name !== step;
    this.score(state);
    if (step === "consent") this.consent(state);
    if (step === "game") this.game(state);
    if (step === "result") this.result(state);
    if (step === "over") this.over(state);
    const was = ["question", "waiting"].includes(before.step) ? "game" : before.step;
    if (was !== step && step === "result") at("next").focus();
    else if (was !== step && step !== "game") at(`${step}-title`).focus();
  }

  score(state) {
    const { won, level, lost, outcome } = state.score, isPoker = state.score.kind === "holdem";
    const chips = isPoker ? `, ${outcome > 0 ? "+" : ""}${outcome / 100} BB in all` : "";
    say(at("score"), won + level + lost ? `won ${won}, ${isPoker ? "split" : "drawn"} ${level}, lost ${lost}${chips}` : "");
  }

  consent(state) {
    at("consent-text").replaceChildren(...state.consent.split("\n\n").map((text) => h("p", {}, text)));
    say(at("consent-seat"), state.seat);
    say(at("consent-declared"), state.declared || "nothing");
    say(at("keys"), "");
  }

  game(state) {
    const { game, question } = state;
    document.title = question ? "Your move" : "Play";
    at("resign").hidden = !(question && question.can_resign);
    this.disarm();
    if (!game) {
      say(at("status"), state.over || (state.done >= state.planned ? "All games are played. The result is being made." : "Waiting for the game to go on."));
      at("scene").replaceChildren();
      at("controls").replaceChildren();
      at("told").hidden = true;
      return undefined;
    }
    say(at("title"), `${game.rules[0].toUpperCase()}${game.rules.slice(1)}, ${game.title}${game.opponents ? `, against ${game.opponents}` : ""}`);
    this.asked = question ? performance.now() - question.waited_s * 1000 : 0;
    at("told").hidden = !question;
    say(at("prompt"), question ? question.prompt : "");
    if (question && question.choices && question.choices.kind === "options") return this.options(question);
    const player = this.player(game);
    player.draw(at("scene"), game, question);
    const isWritten = question && !question.choices;
    this.control(question, isWritten ? this.written(question) : player.controls(question));
    if (isWritten) at("told").open = true;
    say(at("keys"), isWritten ? "" : player.keys());
    say(at("status"), this.words(game, question));
    return undefined;
  }

  /** Show controls; who had the focus in them has it again once it is their turn. */
  control(question, made) {
    const box = at("controls");
    this.hadFocus = this.hadFocus || box.contains(document.activeElement);
    if (made.length !== box.children.length || made.some((one, index) => one !== box.children[index])) box.replaceChildren(...made);
    if (!question) return;
    if (this.hadFocus && document.activeElement === document.body) box.querySelector("button, textarea").focus();
    this.hadFocus = false;
  }

  /** A question beside the game, with some answers to choose from. */
  options(question) {
    const { text, options } = question.choices;
    at("scene").replaceChildren();
    at("told").hidden = true;
    const buttons = options.map((row) => h("button", { type: "button", "data-action": row.action, click: () => this.answer(row.action) }, row.words));
    this.control(question, [h("p", { class: "buttons" }, ...buttons)]);
    document.title = "A question";
    say(at("title"), "A question beside the game");
    say(at("keys"), "");
    say(at("status"), text);
    return undefined;
  }

  player(game) {
    return game.kind === "holdem" ? this.bets : this.chess;
  }

  words(game, question) {
    const { frame } = game, last = frame.by >= 0 && frame.label ? `${game.placed[frame.by]}: ${frame.label}. ` : "";
    if (!question) return `${last}Waiting for ${game.placed[1 - game.place] || "the others"}.`;
    if (question.choices && question.choices.kind === "bets") {
      const call = question.choices.to_call ? ` ${question.choices.to_call / 100} BB to call.` : "";
      return `${last}Your turn, ${frame.street}.${call}`;
    }
    const check = question.choices && question.choices.check ? " You are in check." : "";
    const draws = (question.choices && DRAWS[question.choices.draw_offers]) || "";
    return `${last}Your move${question.choices ? ` with ${game.places[game.place]}` : ""}.${check}${draws}`;
  }

  /** A question that is no choice among moves: the person writes the answer. */
  written(question) {
    const text = h("textarea", { id: "text", "aria-label": "Your answer" });
    const send = h("button", { type: "button", class: "main", click: () => this.answer(text.value) }, "Send");
    return [text, h("p", { class: "buttons" }, send)];
  }

  result(state) {
    const { result } = state, outcome = result.won > 0 ? "You won" : result.won < 0 ? "You lost" : result.kind === "holdem" ? "A split pot" : "A draw";
    document.title = outcome;
    say(at("result-title"), `${outcome}: ${result.title}`);
    say(at("result-words"), result.words);
    this.drawResult(at("result-scene"), result);
    const isLast = state.over || result.number >= state.planned;
    say(at("next"), isLast ? "Done (Enter)" : `Next ${result.noun} (Enter)`);
    say(at("keys"), "");
  }

  drawResult(host, result) {
    const game = { ...result, holes: result.frame.holes || [[], []] };
    host.replaceChildren(drawn(result.frame, game, result.place === 1));
  }

  over(state) {
    const words = state.step === "declined" ? "You chose not to play. No move of yours was recorded. You can close this page." : `${state.over} You can close this page.`;
    document.title = "No more games";
    say(at("over-words"), words);
    at("over-report").hidden = !state.has_report;
    say(at("keys"), "");
  }

  tick() {
    const { question } = this.state;
    say(at("clock"), question && this.state.step === "question" ? clock((performance.now() - this.asked) / 1000) : "");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (this.state.step === "result" && event.key === "Enter" && !event.target.closest("button, a")) return this.next();
    if (this.state.step === "question" && this.state.game.kind === "holdem" && this.bets.key(event)) event.preventDefault();
    return undefined;
  }
}

const play = new Play();

/** Actions of hold'em: buttons, a slider and the usual sizes; keys F, C, R and 1 to 6. */
class Bets {
  constructor(send) {
    this.send = send;
  }

  draw(host, game) {
    host.replaceChildren(drawn({ ...game.frame }, { ...game, holes: game.frame.holes || [[], []] }, game.place === 1));
  }

  controls(question) {
    this.choices = question && question.choices;
    if (!this.choices) return [];
    const { actions, size } = this.choices, key = { fold: "F", check: "C", call: "C" };
    const buttons = actions.map((row) =>
      h("button", { type: "button", "data-action": row.action, "aria-keyshortcuts": key[row.action], click: () => this.send(row.action) }, `${row.words[0].toUpperCase()}${row.words.slice(1)} (${key[row.action]})`));
    if (!size) return [h("div", { class: "bets" }, h("p", { class: "buttons" }, ...buttons))];
    this.slider = h("input", { type: "range", id: "size", min: size.min, max: size.max, step: 50, value: size.min, "aria-label": "Size of the bet in BB", input: () => this.set(Number(this.slider.value)) });
    this.amount = h("input", { type: "number", min: size.min / 100, max: size.max / 100, step: "0.01", inputmode: "decimal", "aria-label": "BB", input: () => this.set(Math.round(Number(this.amount.value) * 100), this.amount) });
    this.raise = h("button", { type: "button", class: "main", "data-action": "size", "aria-keyshortcuts": "R", click: () => this.bet() });
    const presets = size.presets.map((row, index) =>
      h("button", { type: "button", "aria-keyshortcuts": String(index + 1), "data-preset": row.words, click: () => this.set(row.chips) }, `${row.words} (${index + 1})`));
    this.set(size.min);
    return [h("div", { class: "bets" }, h("p", { class: "buttons" }, ...buttons, this.raise),
      h("div", { class: "sized" }, this.slider, h("label", {}, this.amount, "BB")), h("p", { class: "buttons" }, ...presets))];
  }

  keys() {
    return "Keys: F folds, C checks or calls, R bets or raises, 1 to 6 choose a size.";
  }

  set(chips, typing = null) {
    const { size } = this.choices, fits = Number.isFinite(chips) && chips >= size.min && chips <= size.max;
    if (fits) this.chips = chips;
    this.slider.value = this.chips;
    this.slider.setAttribute("aria-valuetext", `${this.chips / 100} BB`);
    if (typing !== this.amount) this.amount.value = this.chips / 100;
    const all = this.chips === size.max ? ", all in" : "", verb = size.verb === "bet" ? "Bet" : "Raise to";
    say(this.raise, `${verb} ${this.chips / 100} BB${all} (R)`);
  }

  bet() {
    this.send(`${this.choices.size.verb} ${this.chips / 100}`);
  }

  key(event) {
    if (!this.choices || event.target.closest("input[type=number], textarea")) return false;
    const pressed = event.key.toLowerCase(), { actions, size } = this.choices;
    const wanted = pressed === "f" ? ["fold"] : pressed === "c" ? ["check", "call"] : [];
    const row = actions.find((one) => wanted.includes(one.action));
    if (row) this.send(row.action);
    else if (pressed === "r" && size) this.bet();
    else if (size && /^[1-9]$/.test(pressed) && size.presets[Number(pressed) - 1]) this.set(size.presets[Number(pressed) - 1].chips);
    else return false;
    return true;
  }
}

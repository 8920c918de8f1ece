/** Moves on a board of chess: by tap, by drag, by the arrow keys and Enter, or typed. */
const DRAW_OFFERED = " (=)", DRAW_TAKEN = "draw";
const PROMOTED = { q: "queen", r: "rook", b: "bishop", n: "knight" };

class ChessMoves {
  constructor(send) {
    this.send = send;
    this.selected = "";
    this.focused = "";
    this.drag = null;
    this.hadFocus = false;
    this.typed = h("input", { id: "move", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": "move-note" });
    this.note = h("span", { id: "move-note", class: "soft", "aria-live": "polite" }, "e4, Nf3, e2e4 or O-O, then Enter");
    this.form = h("form", { class: "typed", submit: (event) => this.type(event) }, h("label", { for: "move" }, "Type a move"), this.typed, h("button", { type: "submit" }, "Play"), this.note);
    this.offer = h("button", { type: "button", id: "offer", click: () => this.offers(!this.isOffering) }, "Offer a draw with this move");
    this.take = h("button", { type: "button", id: "take-draw", click: () => this.send(DRAW_TAKEN) }, "Take the draw");
    this.draws = h("p", { class: "buttons draws" }, this.take, this.offer);
    addEventListener("pointermove", (event) => this.dragTo(event));
    addEventListener("pointerup", (event) => this.drop(event));
    addEventListener("pointercancel", () => this.letGo());
  }

  /** Draw a position; where a question is open, its squares can be used. */
  draw(host, game, question) {
    this.hadFocus = this.hadFocus || host.contains(document.activeElement);
    this.moves = question && question.choices ? question.choices.moves : [];
    this.check = question && question.choices ? question.choices.check : "";
    const draws = question && question.choices ? question.choices.draw_offers : "";
    this.take.hidden = draws !== "open";
    this.offer.hidden = draws !== "may";
    if (!question || question.id !== this.asked) {
      this.offers(false);
      say(at("announced"), "");
    }
    this.asked = question ? question.id : "";
    this.flipped = game.place === 1;
    this.selected = "";
    this.host = host;
    this.letGo();
    host.replaceChildren(drawn(game.frame, game, this.flipped));
    this.cells = new Map();
    const table = host.querySelector("table.board");
    if (!table) return;
    table.setAttribute("role", "grid");
    table.addEventListener("keydown", (event) => this.key(event));
    [...table.rows].slice(0, 8).forEach((row, down) => [...row.cells].slice(1).forEach((cell, right) => this.cell(cell, right, down)));
    if (!this.cells.has(this.focused)) this.focused = this.flipped ? "d7" : "e2";
    this.mark();
    if (!question) return;
    if (this.hadFocus && document.activeElement === document.body) this.cells.get(this.focused).focus({ preventScroll: true });
    this.hadFocus = false;
  }

  /** The controls beside the board. */
  controls() {
    return [this.form, this.draws];
  }

  /** Whether a draw is offered with the move that comes. */
  offers(isOffering) {
    this.isOffering = isOffering && !this.offer.hidden;
    this.offer.setAttribute("aria-pressed", String(this.isOffering));
  }

  keys() {
    return "Keys: arrows go over the board, Enter takes a piece and puts it down, Escape lets go; castling: the king onto its rook, or two squares.";
  }

  cell(cell, right, down) {
    const name = this.flipped ? "hgfedcba"[right] + (down + 1) : "abcdefgh"[right] + (8 - down);
    cell.dataset.square = name;
    cell.setAttribute("role", "gridcell");
    cell.dataset.words = cell.textContent || name;
    cell.addEventListener("pointerdown", (event) => this.press(event, name));
    this.cells.set(name, cell);
  }

  from(square) {
    return this.moves.filter((move) => move.from === square);
  }

  to(square) {
    return this.from(this.selected).filter((move) => move.to.includes(square));
  }

  mark() {
    for (const [name, cell] of this.cells) {
      const isTarget = this.to(name).length > 0, isOwn = this.from(name).length > 0;
      cell.classList.toggle("own", isOwn);
      cell.classList.toggle("selected", name === this.selected);
      cell.classList.toggle("target", isTarget);
      cell.classList.toggle("taken", isTarget && cell.querySelector("svg") !== null);
      cell.classList.toggle("check", name === this.check && name !== this.selected);
      cell.tabIndex = name === this.focused ? 0 : -1;
      const more = [name === this.selected ? "taken up" : "", isTarget ? "can be moved to" : "", name === this.check ? "in check" : ""].filter(Boolean);
      cell.setAttribute("aria-label", [cell.dataset.words, ...more].join(", "));
      cell.setAttribute("aria-selected", String(name === this.selected));
    }
  }

  /** Take up a piece, put it down, or let go of it. */
  use(square) {
    const moves = this.to(square);
    if (moves.length) return this.play(moves);
    this.selected = square !== this.selected && this.from(square).length ? square : "";
    this.mark();
    this.announce(square);
    return undefined;
  }

  /** Tell who hears the page what was taken up and where it can go. */
  announce(square) {
    if (!this.cells.get(square).querySelector("svg")) return say(at("announced"), "");
    const words = this.cells.get(square).dataset.words, to = [...new Set(this.from(square).flatMap((move) => move.to))].sort();
    if (this.selected) return say(at("announced"), `${words} taken up. It can go to ${to.join(", ")}.`);
    return say(at("announced"), `${words}: ${this.moves.length ? to.length ? "let go" : "it has no legal move" : "it is not your turn"}.`);
  }

  play(moves) {
    if (moves.length > 1) return this.promote(moves);
    this.selected = "";
    this.mark();
    this.send(moves[0].action + (this.isOffering ? DRAW_OFFERED : ""));
    return undefined;
  }

  promote(moves) {
    const box = at("promotion"), isWhite = !this.flipped;
    const buttons = Object.keys(PROMOTED).map((piece) => {
      const move = moves.find((one) => one.promotion === piece);
      return h("button", { type: "button", "data-promotion": piece, click: () => { box.close(); this.play([move]); } },
        symbol(`piece-${piece}`, isWhite ? "white-piece" : "black-piece"), ` ${PROMOTED[piece]}`);
    });
    at("pieces").replaceChildren(...buttons);
    setTimeout(() => { box.showModal(); buttons[0].focus(); }); // after the press, which would take the focus away again
  }

  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") this.use(this.focused);
    else if (event.key === "Escape" && this.selected) this.use(this.selected);
    else if (event.key in steps) this.step(...steps[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  step(right, up) {
    const sign = this.flipped ? -1 : 1, clamp = (value) => Math.min(7, Math.max(0, value));
    const file = clamp("abcdefgh".indexOf(this.focused[0]) + sign * right), rank = clamp(Number(this.focused[1]) - 1 + sign * up);
    this.focused = "abcdefgh"[file] + (rank + 1);
    this.mark();
    this.cells.get(this.focused).focus({ preventScroll: true });
  }

  press(event, square) {
    if (event.button !== 0 || !event.isPrimary) return;
    this.focused = square;
    const isOwn = this.from(square).length > 0, was = this.selected;
    this.use(square);
    if (isOwn && was !== square && this.selected === square) this.drag = { square, x: event.clientX, y: event.clientY, ghost: null };
    else if (isOwn && was === square) { this.selected = square; this.mark(); this.drag = { square, x: event.clientX, y: event.clientY, ghost: null, again: true }; }
    if (event.pointerType === "touch" && event.target.hasPointerCapture?.(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
  }

  dragTo(event) {
    if (!this.drag) return;
    if (!this.drag.ghost) {
      if (Math.hypot(event.clientX - this.drag.x, event.clientY - this.drag.y) < 5) return;
      const cell = this.cells.get(this.drag.square), piece = cell.querySelector("svg").cloneNode(true), box = cell.getBoundingClientRect();
      piece.classList.add("drag");
      cell.classList.add("dragged");
      this.drag.ghost = piece;
      this.drag.cell = cell;
      piece.style.width = piece.style.height = `${box.width}px`;
      piece.style.margin = `${-box.width / 2}px 0 0 ${-box.width / 2}px`;
      document.body.append(piece);
    }
    this.drag.ghost.style.left = `${event.clientX}px`;
    this.drag.ghost.style.top = `${event.clientY}px`;
  }

  drop(event) {
    const { drag } = this;
    if (!drag) return;
    this.letGo();
    if (!drag.ghost) {
      if (drag.again) { this.selected = ""; this.mark(); }
      return;
    }
    const under = document.elementFromPoint(event.clientX, event.clientY), cell = under && under.closest("td[data-square]");
    const moves = cell ? this.to(cell.dataset.square) : [];
    if (moves.length) this.play(moves);
  }

  letGo() {
    if (this.drag && this.drag.ghost) { this.drag.ghost.remove(); this.drag.cell.classList.remove("dragged"); }
    this.drag = null;
  }

  type(event) {
    event.preventDefault();
    const bare = (text) => text.replace(/[+#=x\s-]/g, "").replace(/0/g, "O"), isOffer = /\(=\)\s*$/.test(this.typed.value);
    const typed = bare(this.typed.value.replace(/\(=\)\s*$/, "").trim()), exact = this.moves.filter((move) => bare(move.san) === typed);
    const found = exact.length ? exact : this.moves.filter((move) => move.action === typed.toLowerCase() || move.to.some((to) => move.from + to + move.promotion === typed.toLowerCase()));
    say(this.note, found.length === 1 ? "" : !this.moves.length ? "It is not your turn" : `${this.typed.value || "That"} is not one legal move here`);
    if (found.length !== 1) return undefined;
    if (isOffer && this.offer.hidden) return say(this.note, "A draw cannot be offered with this move");
    if (isOffer) this.offers(true);
    this.typed.value = "";
    return this.play(found);
  }
}

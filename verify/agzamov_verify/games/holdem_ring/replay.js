// Draws a frame of a hand at a table of hold'em: the seats around the felt, bets before them, board and pots in the middle.
{
  const SUITS = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
  const RANKS = { A: "ace", K: "king", Q: "queen", J: "jack", T: "ten" };
  const ROUNDS = ["preflop", "flop", "turn", "river"];
  const DEALT = [[0, 0], [0, 3], [3, 4], [4, 5]];
  const blinds = (chips) => String(chips / 100);

  const card = (text) => {
    const words = `${RANKS[text[0]] || text[0]} of ${SUITS[text[1]]}`;
    return h("span", { class: `ring-card of-${text[1]}` }, h("b", { "aria-hidden": "true" }, text[0] === "T" ? "10" : text[0]), symbol(`ring-suit-${text[1]}`), hidden(`${words} `));
  };

  const changeOf = (frame, place) => (frame.net[place] > 0 ? "+" : "") + blinds(frame.net[place]);

  // The frame at which the hand of a frame was dealt: that of the whole game, or of each hand of a sit-and-go.
  const dealtAt = (game, at) => {
    let dealt = at;
    while (!game.frames[dealt].holes) dealt -= 1;
    return dealt;
  };

  // What a seat did last on this street, or how the hand ended for it.
  const lastWords = (frame, game, place, at) => {
    if (frame.finish) return `finished ${frame.finish[place]}`;
    if (frame.street === "end") return `${changeOf(frame, place)} bb ${(frame.made ? frame.made[place] : "").toLowerCase()}`;
    for (let before = at; before > dealtAt(game, at) && game.frames[before].street === frame.street; before -= 1) {
      if (game.frames[before].by === place) return game.frames[before].label.replace(/^\S+ /, "");
    }
    return "\u00a0";
  };

  const seat = (frame, game, place, flipped, at) => {
    const { holes, names } = game.frames[dealtAt(game, at)];
    const angle = (2 * Math.PI * place) / game.placed.length + (flipped ? -1 : 1) * (Math.PI / 2);
    const isBad = game.unusable.some(([frameOf, by]) => frameOf === at && by === place);
    const isOut = frame.street !== "end" && !frame.live[place];
    const classes = ["ring-seat", frame.by === place ? "acting" : "", isOut ? "out" : "", isBad ? "unusable-seat" : ""].join(" ");
    const dealer = names[place] !== "BTN" ? "" : h("span", { class: "ring-dealer", title: "Dealer button" }, h("span", { "aria-hidden": "true" }, "D"), hidden("dealer"));
    const bet = frame.bets[place] ? h("span", { class: "ring-bet" }, `bet ${blinds(frame.bets[place])} bb`) : "";
    const made = h("div", { class: classes }, h("span", { class: "ring-name" }, game.placed[place], dealer), h("small", {}, names[place] ? `${names[place]}, ${blinds(frame.stacks[place])} bb` : "out"),
      h("span", { class: "ring-cards" }, ...holes[place].map(card)), h("span", { class: "ring-did" }, lastWords(frame, game, place, at)), bet);
    // As an attribute it would be an inline style, which the page's policy forbids.
    made.style.left = `${(50 + 36 * Math.cos(angle)).toFixed(1)}%`;
    made.style.top = `${(50 + 40 * Math.sin(angle)).toFixed(1)}%`;
    return made;
  };

  const potWords = (frame) => {
    if (frame.finish) return "Order of finish";
    if (frame.street === "end") return "Pots are paid";
    const all = frame.bets.reduce((sum, chips) => sum + chips, 0) + frame.pots.reduce((sum, chips) => sum + chips, 0);
    const sides = frame.pots.length > 1 ? ` (${frame.pots.map((chips, number) => `${number ? "side" : "main"} ${blinds(chips)}`).join(", ")})` : "";
    return `pot ${blinds(all)} bb${sides}`;
  };

  const named = (frame, game) => (frame.by < 0 ? frame.label : frame.label.replace(/^\S+/, game.placed[frame.by]));

  GAMES.holdem_ring = {
    action: "action",
    drawing: "Board",
    rowsKind: "streets",
    draw: (frame, game, flipped, at) => h("div", { class: "ring-room" }, h("div", { class: `ring of-${game.placed.length}` },
      h("div", { class: "ring-felt" }, h("p", {}, potWords(frame)), h("div", { class: "ring-board" }, ...frame.board.map(card))),
      ...game.placed.map((_, place) => seat(frame, game, place, flipped, at)))),
    small: (cards) => h("span", { class: "ring-board" }, hidden("board: "), ...(cards.match(/../g) || []).map(card)),
    amount: (chips) => `${chips > 0 ? "+" : ""}${blinds(chips)} bb`,
    length: (actions) => counted(actions, "action"),
    cell: (frame, at, game) => (frame.street === "end" ? "Result" : at ? named(frame, game) : "Blinds"),
    rows(game, buttons) {
      const final = game.frames.at(-1);
      const groups = ROUNDS.flatMap((street, number) => {
        const acted = game.frames.flatMap((frame, at) => (frame.street === street ? [buttons[at]] : []));
        const cards = final.board.slice(...DEALT[number]);
        if (!acted.length && !cards.length) return [];
        return [h("div", { class: "street" }, h("h3", {}, capital(street), " ", ...cards.map(card)), h("div", { class: "acts" }, ...acted))];
      });
      return [...groups, h("div", { class: "street" }, h("h3", {}, "End"), h("div", { class: "acts" }, buttons.at(-1)))];
    },
    heading: (frame, game, at) => (frame.street === "end" ? `End: ${game.title}` : at ? `${capital(frame.street)}: ${named(frame, game)}` : "Before the first action"),
    said: (frame, game, at) => (frame.street === "end" ? game.title : at ? `${named(frame, game)}; ${potWords(frame)}` : `Blinds are posted; ${potWords(frame)}`),
  };

  // Button k has the action that led to frame k, so the first frame of a hand ends the row of the hand before.
  const handRows = (game, buttons) => {
    const starts = game.frames.flatMap((frame, at) => (frame.hand ? [at] : []));
    return starts.map((start, number) => {
      const next = number + 1 < starts.length ? starts[number + 1] : game.frames.length - 1;
      const { hand, blinds: [small, big] } = game.frames[start];
      return h("div", { class: "street" }, h("h3", {}, `Hand ${hand}, blinds ${blinds(small)} and ${blinds(big)} bb`), h("div", { class: "acts" }, ...buttons.slice(number ? start + 1 : start, next + 1)));
    });
  };

  const cameOut = (frame) => (frame.ended && frame.ended.length ? `${frame.ended.join(". ")}. ` : "");
  const ring = GAMES.holdem_ring;
  GAMES.holdem_sit_and_go = {
    ...ring,
    rows: handRows,
    amount: (halves) => `${halves / 2} beaten`,
    draw: (frame, game, flipped, at) => h("div", {}, ring.draw(frame, game, flipped, at), h("p", { class: "ring-ended" }, cameOut(frame))),
    heading: (frame, game, at) => (frame.street === "end" ? `End: ${game.title}` : `Hand ${game.frames[dealtAt(game, at)].hand}, ${frame.street}: ${at ? named(frame, game) : "blinds"}`),
    said: (frame, game, at) => `${cameOut(frame)}${ring.said(frame, game, at)}`,
  };
}

// Draws a frame of a hand of hold'em: two seats with open cards, bets before them, the board and the pot between.
const SUIT_NAMES = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
const RANK_NAMES = { A: "ace", K: "king", Q: "queen", J: "jack", T: "ten" };
const STREETS = ["preflop", "flop", "turn", "river"];
const STREET_CARDS = [[0, 0], [0, 3], [3, 4], [4, 5]];
const PLAYERS = { BTN: "Button", BB: "Big blind" };

GAMES.holdem = {
  action: "action",
  drawing: "Cards: own, other's, board",
  rowsKind: "streets",

  draw(frame, game, flipped, at) {
    const { board, bets } = seen(game, at);
    const seats = [0, 1].map((place) => seat(frame, game, place, at));
    const [near, far] = flipped ? [1, 0] : [0, 1];
    const shared = h("div", { class: "shared" }, ...[...Array(5).keys()].map((number) => (board[number] ? card(board[number]) : h("span", { class: "card none" }))));
    const middle = h("div", { class: "middle" }, h("p", { class: "pot" }, potWords(frame)), shared);
    return h("div", { class: "poker" }, seats[far], h("div", { class: "felt" }, bet(bets[far]), middle, bet(bets[near])), seats[near], h("p", { class: "known" }, knownWords(frame, game)));
  },

  // The cards of a list: those of the measured seat, of the other, of the board.
  small(cards, place, match) {
    const all = cards.match(/../g) || [];
    const part = (from, to, words) => h("span", { class: "small-hand" }, hidden(words), ...all.slice(from, to).map(smallCard));
    return h("span", { class: "small-cards" }, part(0, 2, `${match.seats[0]}: `), part(2, 4, `, ${match.seats[1]}: `), part(4, 9, all.length > 4 ? ", board: " : ""));
  },

  amount: (chips) => `${chips > 0 ? "+" : ""}${inBlinds(chips)} bb`,

  length: (actions) => counted(actions, "action"),

  cell: (frame, at, game) => (frame.street === "end" ? "Result" : at ? shortWords(frame, game) : "Blinds"),

  // The actions by streets, each behind the cards that it dealt.
  rows(game, buttons) {
    const final = game.frames.at(-1);
    const groups = STREETS.flatMap((street, number) => {
      const acted = game.frames.flatMap((frame, at) => (frame.street === street ? [buttons[at]] : []));
      const cards = final.board.slice(...STREET_CARDS[number]);
      if (!acted.length && !cards.length) return [];
      return [h("div", { class: "street" }, h("h3", {}, capital(street), " ", ...cards.map(smallCard)), h("div", { class: "acts" }, ...acted))];
    });
    return [...groups, h("div", { class: "street" }, h("h3", {}, "End"), h("div", { class: "acts" }, buttons.at(-1)))];
  },

  heading(frame, game, at) {
    if (frame.street === "end") return `End: ${game.title}`;
    return at ? `${capital(frame.street)}: ${shortWords(frame, game)} (${game.match.places[frame.by]})` : "Before the first action";
  },

  said(frame, game, at) {
    if (frame.street === "end") return game.title;
    if (!at) return "Blinds are posted; pot 1.5 big blinds";
    return `${frame.label.replace(/^(BTN|BB)/, (name) => PLAYERS[name])}; pot ${inBlinds(potOf(frame))} big blinds`;
  },
};

// The board and the bets as they were when the action was taken: a frame whose action ends a street has the next one's.
function seen(game, at) {
  const { frames } = game;
  const frame = frames[at];
  if (frame.street === "end") return frame;
  let bets = frames[0].bets;
  for (let step = 1; step <= at; step += 1) {
    const before = frames[step].street === frames[step - 1].street ? bets : [0, 0];
    bets = before.map((chips, place) => chips + frames[step - 1].stacks[place] - frames[step].stacks[place]);
  }
  return { board: frames.at(-1).board.slice(0, STREET_CARDS[STREETS.indexOf(frame.street)][1]), bets };
}

function potOf(frame) {
  return frame.pot + frame.bets[0] + frame.bets[1];
}

// "reference raises to 2.5 bb"
function shortWords(frame, game) {
  return frame.by < 0 ? frame.label : frame.label.replace(/^(BTN|BB)/, game.placed[frame.by]);
}

function potWords(frame) {
  if (frame.street === "end") return frame.winner < 0 ? `pot of ${inBlinds(frame.took)} bb split` : `pot of ${inBlinds(frame.took)} bb won`;
  return `pot ${inBlinds(potOf(frame))} bb`;
}

function knownWords(frame, game) {
  if (frame.street !== "end") return "All cards are open here; each player saw its own two.";
  return frame.made ? "Showdown: both hands were shown." : "No showdown: neither player saw the other's cards.";
}

// The chips before a player; the place is kept where there are none.
function bet(chips) {
  return h("p", { class: chips ? "bet" : "bet none" }, h("i", { class: "chip-drawing", "aria-hidden": "true" }), `${inBlinds(chips)} bb`);
}

// What a player did last on this street, or how the hand ended for it.
function lastWords(frame, game, place, at) {
  if (frame.street === "end") {
    const change = frame.winner < 0 ? "±0 bb" : `${frame.winner === place ? "+" : "-"}${inBlinds(frame.net)} bb`;
    return [h("b", { class: "change" }, change), frame.made ? ` ${frame.made[place].toLowerCase()}` : ""];
  }
  for (let before = at; before > 0 && game.frames[before].street === frame.street; before -= 1) {
    if (game.frames[before].by === place) return [game.frames[before].label.replace(/^(BTN|BB) /, "")];
  }
  return frame.street === "preflop" ? [`posts ${place ? "1" : "0.5"} bb`] : ["\u00a0"];
}

function seat(frame, game, place, at) {
  const isBad = game.unusable.some(([frameOf, by]) => frameOf === at && by === place);
  const classes = ["seat", frame.by === place ? "acting" : "", frame.winner === place ? "winner" : "", isBad ? "unusable-seat" : ""].join(" ");
  const button = place ? "" : h("span", { class: "dealer", title: "Dealer button" }, h("span", { "aria-hidden": "true" }, "D"), hidden("dealer"));
  const folded = frame.street === "end" && !frame.made && frame.winner >= 0 && frame.winner !== place;
  return h("div", { class: classes }, h("span", { class: folded ? "cards folded" : "cards" }, ...game.frames[0].holes[place].map(card)),
    h("span", { class: "who" }, h("span", { class: "name" }, game.placed[place], button), h("small", {}, `${place ? "big blind" : "button"}, stack ${inBlinds(frame.stacks[place])} bb`)),
    h("span", { class: "did" }, ...(isBad ? [h("span", { class: "bad", "aria-hidden": "true" }, "✗ ")] : []), ...lastWords(frame, game, place, at)));
}

function card(text) {
  const [rank, suit] = text;
  const words = `${RANK_NAMES[rank] || rank} of ${SUIT_NAMES[suit]}`;
  return h("span", { class: `card suit-${suit}` }, h("b", { "aria-hidden": "true" }, rank === "T" ? "10" : rank), symbol(`suit-${suit}`), hidden(`${words} `));
}

function smallCard(text) {
  return h("span", { class: `small-card suit-${text[1]}` }, h("b", { "aria-hidden": "true" }, text[0] === "T" ? "10" : text[0]), symbol(`suit-${text[1]}`), hidden(`${RANK_NAMES[text[0]] || text[0]} of ${SUIT_NAMES[text[1]]} `));
}

function inBlinds(chips) {
  return String(chips / 100);
}

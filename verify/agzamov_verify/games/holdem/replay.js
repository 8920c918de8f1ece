// Draws a frame of a hand of hold'em: two seats with open cards, the board between them, chips in big blinds.
const SUIT_NAMES = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
// The action that closes a street deals the next one.
const DEALT = { 0: "preflop", 3: "flop", 4: "turn", 5: "river" };
const RANK_NAMES = { A: "ace", K: "king", Q: "queen", J: "jack", T: "ten" };

GAMES.holdem = {
  draw(frame, game, flipped) {
    const seats = [0, 1].map((place) => seat(frame, game, place));
    const empty = 5 - frame.board.length;
    const board = h("div", { class: "shared" }, ...frame.board.map(card), ...Array.from({ length: empty }, () => h("span", { class: "card none" })));
    const pot = h("p", { class: "pot" }, `${frame.street === "end" ? "end" : DEALT[frame.board.length]}, pot ${inBlinds(frame.pot + frame.bets[0] + frame.bets[1])} bb`);
    const [near, far] = flipped ? [1, 0] : [0, 1];
    return h("div", { class: "poker" }, seats[far], h("div", { class: "felt" }, board, pot), seats[near]);
  },
};

function seat(frame, game, place) {
  const name = game.placed[place];
  const chips = `${inBlinds(frame.stacks[place])} bb behind` + (frame.bets[place] ? `, ${inBlinds(frame.bets[place])} bb in front` : "");
  const classes = ["seat", frame.by === place ? "acting" : "", frame.winner === place ? "winner" : ""].join(" ");
  return h("div", { class: classes }, h("span", { class: "cards" }, ...frame.holes[place].map(card)),
    h("span", { class: "who" }, name, h("small", {}, ` ${place ? "big blind" : "button"}, ${chips}`)));
}

function card(text) {
  const [rank, suit] = text;
  const words = `${RANK_NAMES[rank] || rank} of ${SUIT_NAMES[suit]}`;
  return h("span", { class: `card suit-${suit}` }, h("b", { "aria-hidden": "true" }, rank === "T" ? "10" : rank), symbol(`suit-${suit}`), hidden(words));
}

function inBlinds(chips) {
  return String(chips / 100);
}

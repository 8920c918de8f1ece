"use strict";
// Draws games for the live page. Texts of a run are foreign: they come into the page as text alone, never as HTML.
const SVG = "http://www.w3.org/2000/svg";
const PIECE_NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const SUIT_NAMES = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
const RANK_NAMES = { A: "ace", K: "king", Q: "queen", J: "jack", T: "ten" };
const BOARD_CARDS = 5;

function h(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

function hidden(words) {
  return h("span", { class: "sr" }, words);
}

function symbol(name, kind = "") {
  const drawing = document.createElementNS(SVG, "svg"), use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#${name}`);
  drawing.setAttribute("class", kind);
  drawing.setAttribute("aria-hidden", "true");
  drawing.append(use);
  return drawing;
}

/** The game that draws a frame: a table of squares, a table of cards, lines of text, or what a seat was asked. */
function drawn(frame, game, flipped) {
  if (typeof frame.board === "string") return chessTable(frame, game, flipped);
  if (Array.isArray(frame.board) && Array.isArray(frame.stacks)) return cardTable(frame, game, flipped);
  return h("pre", { tabindex: "0" }, (frame.lines || [game.prompt || ""]).join("\n"));
}

function chessTable(frame, game, flipped) {
  const ranks = frame.board.split("/").map((rank) => rank.replace(/\d/g, (digit) => " ".repeat(Number(digit))));
  const order = [...Array(8).keys()];
  if (flipped) order.reverse();
  const lines = order.map((row) =>
    h("tr", {}, h("th", { scope: "row" }, String(8 - row)), ...order.map((column) => chessSquare(frame, ranks[row][column], row, column))));
  const letters = h("tr", {}, h("td", {}), ...order.map((column) => h("th", { scope: "col" }, "abcdefgh"[column])));
  const players = [1, 0].map((place) =>
    h("p", { class: "player" }, h("b", {}, game.placed[place]), h("small", {}, game.places[place]),
      h("span", { class: "did" }, frame.by === place ? frame.label + (frame.drawn ? "*" : "") : ""),
      ...(frame.to_act === place ? [h("span", { class: "turn" }, "to move")] : [])));
  if (flipped) players.reverse();
  return h("div", { class: "chess" }, players[0], h("table", { class: "board", "aria-label": "Board" }, h("tbody", {}, ...lines, letters)), players[1]);
}

function chessSquare(frame, piece, row, column) {
  const name = "abcdefgh"[column] + (8 - row), classes = [(row + column) % 2 ? "dark" : "light"];
  if (name === frame.from || name === frame.to) classes.push(frame.drawn ? "drawn" : "moved");
  else if (frame.earlier_drawn && frame.earlier && (name === frame.earlier.from || name === frame.earlier.to)) classes.push("drawn");
  if (piece === " ") return h("td", { class: classes.join(" ") }, hidden(name));
  const isWhite = piece === piece.toUpperCase(), kind = piece.toLowerCase();
  return h("td", { class: classes.join(" ") }, symbol(`piece-${kind}`, isWhite ? "white-piece" : "black-piece"),
    hidden(`${name} ${isWhite ? "white" : "black"} ${PIECE_NAMES[kind]}`));
}

function cardTable(frame, game, flipped) {
  const [near, far] = flipped ? [1, 0] : [0, 1];
  const board = [...frame.board.map(playingCard), ...Array.from({ length: BOARD_CARDS - frame.board.length }, () => h("span", { class: "playing-card none" }))];
  const bet = (place) => h("p", { class: "chips" }, ...(frame.bets[place] ? [h("b", {}, `${inBlinds(frame.bets[place])} bb`), hidden(` bet by ${game.placed[place]}`)] : []));
  const pot = h("p", { class: "chips" }, `pot ${inBlinds(frame.pot + frame.bets[0] + frame.bets[1])} bb`);
  return h("div", { class: "poker" }, cardSeat(frame, game, far),
    h("div", { class: "felt" }, bet(far), h("div", { class: "cards" }, ...board), pot, bet(near)), cardSeat(frame, game, near));
}

function cardSeat(frame, game, place) {
  const holes = (frame.holes || game.holes)[place];
  const cards = holes.length ? holes.map(playingCard) : [0, 1].map(() => h("span", { class: "playing-card back" }));
  const dealer = place === 0 ? [h("span", { class: "dealer", title: "dealer button" }, "D", hidden("ealer button"))] : [];
  const did = frame.by === place ? [h("span", { class: "did" }, ` ${frame.label}${frame.drawn ? "*" : ""}`)] : [];
  const turn = frame.winner === place ? "won" : frame.to_act === place ? "to act" : "";
  return h("div", { class: frame.winner === place ? "player winner" : "player" }, h("span", { class: "cards" }, ...cards, ...(holes.length ? [] : [hidden("cards not seen yet")])),
    h("span", { class: "who" }, h("span", {}, h("b", {}, game.placed[place]), " ", ...dealer, ...did), h("small", { class: "chips" }, hidden(`${game.places[place]}, `), `${inBlinds(frame.stacks[place])} bb left`)),
    ...(turn ? [h("span", { class: "turn" }, turn)] : []));
}

function playingCard(text) {
  const [rank, suit] = text;
  return h("span", { class: `playing-card suit-${suit}` }, h("b", { "aria-hidden": "true" }, rank === "T" ? "10" : rank), symbol(`suit-${suit}`),
    hidden(`${RANK_NAMES[rank] || rank} of ${SUIT_NAMES[suit]}`));
}

function inBlinds(chips) {
  return String(chips / 100);
}

// Draws a frame of a game of chess, of either variant: a table of 64 squares, each named for a screen reader.
const PIECE_NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

GAMES.chess = GAMES.chess960 = {
  draw(frame, game, flipped) {
    const ranks = frame.board.split("/").map((rank) => rank.replace(/\d/g, (digit) => " ".repeat(Number(digit))));
    const rows = [...Array(8).keys()].map((row) => (flipped ? 7 - row : row));
    const columns = [...Array(8).keys()].map((column) => (flipped ? 7 - column : column));
    const lines = rows.map((row) =>
      h("tr", {}, h("th", { scope: "row" }, String(8 - row)), ...columns.map((column) => square(frame, ranks[row][column], row, column)))
    );
    const letters = h("tr", {}, h("td", {}), ...columns.map((column) => h("th", { scope: "col" }, "abcdefgh"[column])));
    const names = [playerLine(game.placed[1], "Black", frame.by === 1), playerLine(game.placed[0], "White", frame.by === 0)];
    if (flipped) names.reverse();
    return h("div", { class: "chess" }, names[0], h("table", { class: "board", "aria-label": "Board" }, ...lines, letters), names[1]);
  },
};

function square(frame, piece, row, column) {
  const name = "abcdefgh"[column] + (8 - row);
  const classes = [(row + column) % 2 ? "dark" : "light"];
  if (name === frame.from || name === frame.to) classes.push(frame.drawn ? "drawn" : "moved");
  if (piece === " ") return h("td", { class: classes.join(" ") }, hidden(name));
  const white = piece === piece.toUpperCase();
  const words = `${name} ${white ? "white" : "black"} ${PIECE_NAMES[piece.toLowerCase()]}`;
  return h("td", { class: classes.join(" ") }, symbol(`piece-${piece.toLowerCase()}`, white ? "white-piece" : "black-piece"), hidden(words));
}

function playerLine(name, colour, acted) {
  return h("p", { class: acted ? "player acted" : "player" }, name, h("small", {}, colour));
}

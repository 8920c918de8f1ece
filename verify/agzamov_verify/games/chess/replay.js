// Draws a frame of a game of chess, of either variant: a table of 64 squares, each named for a screen reader.
const PIECE_NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const SAN_NAMES = { N: "knight", B: "bishop", R: "rook", Q: "queen", K: "king" };

GAMES.chess = GAMES.chess960 = {
  action: "move",
  drawing: "Last position",
  hasScores: true,
  rowsKind: "columns",

  draw(frame, game, flipped, at) {
    const rows = [...Array(8).keys()].map((row) => (flipped ? 7 - row : row));
    const columns = [...Array(8).keys()].map((column) => (flipped ? 7 - column : column));
    const ranks = ranksOf(frame.board);
    const checked = /[+#]$/.test(frame.label) ? (frame.by ? "K" : "k") : "";
    const isBad = game.unusable.some(([frameOf]) => frameOf === at);
    const lines = rows.map((row) =>
      h("tr", {}, h("th", { scope: "row" }, String(8 - row)), ...columns.map((column) => square(frame, ranks[row][column], row, column, checked, isBad)))
    );
    const letters = h("tr", {}, h("td", {}), ...columns.map((column) => h("th", { scope: "col" }, "abcdefgh"[column])));
    const names = [1, 0].map((place) => playerLine(game, place, frame.by === place));
    if (flipped) names.reverse();
    return h("div", { class: "chess" }, names[0], h("table", { class: "board", "aria-label": "Board" }, ...lines, letters), names[1]);
  },

  // The board of a list: one drawing.
  small(placement, place, match) {
    const pieces = ranksOf(placement).flatMap((rank, row) => [...rank].flatMap((piece, column) => {
      if (piece === " ") return [];
      const at = place === 1 ? [7 - column, 7 - row] : [column, row];
      const kind = piece === piece.toUpperCase() ? "white-piece" : "black-piece";
      return [svg("use", { href: `#piece-${piece.toLowerCase()}`, class: kind, x: 45 * at[0], y: 45 * at[1], width: 45, height: 45 })];
    }));
    return svg("svg", { class: "small-board", viewBox: "0 0 360 360", role: "img", "aria-label": `Last position, from the side of ${match.places[place]}` }, ...pieces);
  },

  length: (plies) => counted(Math.ceil(plies / 2), "move"),

  cell: (frame, at) => (at ? frame.label.replace(/^\d+(\.|…) /, "") : "Start"),

  // Two columns of moves behind their number.
  rows(game, buttons) {
    return [buttons[0], ...buttons.slice(1).flatMap((button, ply) => (ply % 2 ? [button] : [h("span", { class: "count" }, /^\d+/.exec(game.frames[ply + 1].label)?.[0] || ""), button]))];
  },

  heading: (frame, game, at) => (at ? `${frame.label}, ${game.placed[frame.by]} (${game.match.places[frame.by]})` : "Before the first move"),

  said(frame, game, at) {
    if (!at) return "Start position";
    const san = this.cell(frame, at);
    const words = san.startsWith("O-O") ? (san.startsWith("O-O-O") ? "castles towards the a-file" : "castles towards the h-file")
      : `${SAN_NAMES[san[0]] || "pawn"} ${frame.from} ${san.includes("x") ? "takes" : "to"} ${frame.to}`;
    const also = san.endsWith("#") ? ", checkmate" : san.endsWith("+") ? ", check" : "";
    return `${game.match.places[frame.by]}: ${words}${also}`;
  },
};

function ranksOf(placement) {
  return placement.split("/").map((rank) => rank.replace(/\d/g, (digit) => " ".repeat(Number(digit))));
}

function square(frame, piece, row, column, checked, isBad) {
  const name = "abcdefgh"[column] + (8 - row);
  const classes = [(row + column) % 2 ? "dark" : "light"];
  if (name === frame.from || name === frame.to) classes.push(frame.drawn ? "drawn" : "moved");
  if (piece === checked) classes.push("check");
  const mark = isBad && name === frame.to ? h("span", { class: "bad", "aria-hidden": "true" }, "✗") : "";
  if (piece === " ") return h("td", { class: classes.join(" ") }, hidden(name), mark);
  const white = piece === piece.toUpperCase();
  const words = `${name} ${white ? "white" : "black"} ${PIECE_NAMES[piece.toLowerCase()]}`;
  return h("td", { class: classes.join(" ") }, symbol(`piece-${piece.toLowerCase()}`, white ? "white-piece" : "black-piece"), hidden(words), mark);
}

function playerLine(game, place, acted) {
  return h("p", { class: acted ? "player acted" : "player" }, h("span", {}, h("i", { class: place ? "side black-side" : "side white-side", "aria-hidden": "true" }), game.placed[place]), h("small", {}, game.match.places[place]));
}

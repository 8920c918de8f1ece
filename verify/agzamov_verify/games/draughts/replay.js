// Draws a frame of a game of English draughts: one drawing of the board, with numbered squares, discs, and crowns.
const DISC_NAMES = { b: "black man", B: "black king", w: "white man", W: "white king" };

GAMES.draughts = {
  action: "move",
  drawing: "Last position",
  rowsKind: "columns",

  draw(frame, game, flipped, at) {
    const isBad = game.unusable.some(([frameOf]) => frameOf === at);
    const names = [1, 0].map((place) => discPlayer(game, place, frame.by === place));
    if (flipped) names.reverse();
    return h("div", { class: "draughts" }, names[0], discBoard(frame, flipped, isBad), names[1]);
  },

  // The board of a list: discs without numbers.
  small(placement, place, match) {
    const label = `Last position, from the side of ${match.places[place]}`;
    return svg("svg", { class: "small-discs", viewBox: "0 0 320 320", role: "img", "aria-label": label }, ...discs(placement, place === 1));
  },

  length: (plies) => counted(plies, "move"),

  cell: (frame, at) => (at ? frame.label.replace(/^\d+(\.|…) /, "") : "Ballot"),

  // Black makes the first move of each number, and the ballot ends with one: White's move stands alone in the first row.
  rows(game, buttons) {
    return [buttons[0], ...buttons.slice(1).flatMap((button, ply) => {
      const count = h("span", { class: "count" }, /^\d+/.exec(game.frames[ply + 1].label)?.[0] || "");
      if (ply === 0) return [count, h("span", {}, "…"), button];
      return ply % 2 ? [count, button] : [button];
    })];
  },

  heading: (frame, game, at) => (at ? `${frame.label}, ${game.placed[frame.by]} (${game.match.places[frame.by]})` : `After the ballot ${frame.label}`),

  said(frame, game, at) {
    if (!at) return `Ballot: ${frame.label}`;
    const [from, ...to] = frame.path;
    const verb = frame.label.includes("x") ? "captures from" : "moves from";
    return `${game.match.places[frame.by]} ${verb} ${from} to ${to.join(", ")}`;
  },
};

// Row and column of a square by its number, as the board is seen.
function discPlace(square, flipped) {
  const row = Math.floor((square - 1) / 4), column = 2 * ((square - 1) % 4) + (row % 2 ? 0 : 1);
  return flipped ? [7 - row, 7 - column] : [row, column];
}

function discs(placement, flipped) {
  return [...placement].flatMap((piece, index) => {
    if (piece === ".") return [];
    const [row, column] = discPlace(index + 1, flipped);
    const kind = piece.toLowerCase() === "w" ? "white-disc" : "black-disc";
    const at = { x: 40 * column, y: 40 * row, width: 40, height: 40, class: kind };
    return [svg("use", { href: piece === piece.toUpperCase() ? "#disc-king" : "#disc-man", ...at })];
  });
}

function discBoard(frame, flipped, isBad) {
  const path = new Set(frame.path || []);
  const squares = [...Array(32).keys()].flatMap((index) => {
    const [row, column] = discPlace(index + 1, flipped);
    const kind = path.has(index + 1) ? (frame.drawn ? "dark drawn" : "dark moved") : "dark";
    return [svg("rect", { class: kind, x: 40 * column, y: 40 * row, width: 40, height: 40 }),
      svg("text", { class: "square-number", x: 40 * column + 3, y: 40 * row + 10 }, String(index + 1))];
  });
  const last = frame.path?.at(-1);
  const [row, column] = last ? discPlace(last, flipped) : [0, 0];
  const mark = isBad && last ? [svg("text", { class: "bad-mark", x: 40 * column + 29, y: 40 * row + 12 }, "✗")] : [];
  const words = [...frame.board].flatMap((piece, index) => (piece === "." ? [] : [`${index + 1} ${DISC_NAMES[piece]}`]));
  const drawing = svg("svg", { class: "discs", viewBox: "0 0 320 320", role: "img", "aria-label": `Board: ${words.join(", ")}` },
    ...squares, ...discs(frame.board, flipped), ...mark);
  return drawing;
}

function discPlayer(game, place, acted) {
  const side = h("i", { class: place ? "disc-side black-disc-side" : "disc-side", "aria-hidden": "true" });
  return h("p", { class: acted ? "disc-player acted" : "disc-player" }, h("span", {}, side, game.placed[place]), h("small", {}, game.match.places[place]));
}

// The engine's scores of a game: a bar beside the board, and a graph over the game. Both are from the first place's side.
const SCORE_SLOPE = 0.00368208; // of the winning chances that Lichess computes from centipawns

function isScored(frame) {
  return frame.cp !== undefined || frame.mate !== undefined;
}

// "+0.3", "-1.2", "#4", "#-3".
function scoreWords(frame) {
  if (frame.mate !== undefined) return `#${frame.mate}`;
  const pawns = Math.round(frame.cp / 10) / 10;
  return `${pawns < 0 ? "-" : "+"}${Math.abs(pawns).toFixed(1)}`;
}

// Chances from -1 to 1: 2 / (1 + exp(-slope * centipawns)) - 1; a mate is sure.
function chances(frame) {
  if (frame.mate !== undefined) return Math.sign(frame.mate) || 1;
  return 2 / (1 + Math.exp(-SCORE_SLOPE * frame.cp)) - 1;
}

class Graph {
  // shown: called with the number of the frame that is pointed at.
  constructor(game, shown) {
    this.game = game;
    this.shown = shown;
    this.last = game.frames.length - 1;
    this.isScored = game.frames.some(isScored);
    this.barFill = svg("rect", { class: "lead", x: 0, width: 1 });
    this.barWords = h("span", { class: "bar-score" });
    this.bar = h("div", { class: "bar", "aria-hidden": "true" }, svg("svg", { viewBox: "0 0 1 2", preserveAspectRatio: "none" }, this.barFill, svg("line", { class: "even", x1: 0, x2: 1, y1: 1, y2: 1 })), this.barWords);
    this.cursor = svg("line", { class: "cursor", y1: 0, y2: 2 });
  }

  graph() {
    const { frames } = this.game;
    const across = Math.max(1, this.last);
    const points = frames.map((frame, at) => [at, frame]).filter(([, frame]) => isScored(frame)).map(([at, frame]) => `${at},${(1 - chances(frame)).toFixed(3)}`);
    const [[, start], [final]] = [points[0].split(","), points.at(-1).split(",")];
    const marks = this.game.unusable.map(([at]) => svg("line", { class: "bad", x1: at, x2: at, y1: 0, y2: 2 }));
    const drawing = svg("svg", { viewBox: `0 0 ${across} 2`, preserveAspectRatio: "none", role: "img", "aria-label": this.words() },
      svg("path", { class: "lead", d: `M0,2L0,${start}L${points.join("L")}L${final},2Z` }), svg("line", { class: "even", x1: 0, x2: across, y1: 1, y2: 1 }), ...marks, this.cursor);
    const pointed = (event) => {
      const box = drawing.getBoundingClientRect();
      this.shown(Math.round(((event.clientX - box.left) / box.width) * across));
    };
    drawing.addEventListener("pointerdown", (event) => {
      drawing.setPointerCapture(event.pointerId);
      pointed(event);
    });
    drawing.addEventListener("pointermove", (event) => event.buttons && pointed(event));
    return drawing;
  }

  element() {
    if (!this.isScored) return h("p", { class: "graph none" }, "No evaluation: no engine looked at the positions of this game.");
    const key = this.game.unusable.length ? [" ", h("i", { class: "bad" }), "unusable answer"] : [];
    return h("div", { class: "graph" }, this.graph(), h("p", {}, h("small", {}, `Engine's score for ${this.game.match.places[0]}; click to go there.`, ...key)));
  }

  words() {
    const scored = this.game.frames.filter(isScored);
    const sorted = [...scored].sort((one, other) => chances(one) - chances(other));
    return `The engine's score over the game, from the side of ${this.game.match.places[0]}: first ${scoreWords(scored[0])}, last ${scoreWords(scored.at(-1))}, least ${scoreWords(sorted[0])}, greatest ${scoreWords(sorted.at(-1))}`;
  }

  // The score at a frame in words; "" where there is none.
  at(frame) {
    return isScored(frame) ? scoreWords(frame) : "";
  }

  show(at, isFlipped) {
    const frame = this.game.frames[at];
    const ended = at === this.last && !isScored(frame) ? this.game.result.split(",")[0] : "";
    const lead = isScored(frame) ? chances(frame) : { "1-0": 1, "0-1": -1 }[ended] ?? 0;
    const height = 1 + lead;
    this.barFill.setAttribute("y", isFlipped ? 0 : 2 - height);
    this.barFill.setAttribute("height", height);
    this.barWords.textContent = this.at(frame) || ended.replace("1/2-1/2", "½") || "–";
    this.barWords.className = `bar-score ${(lead >= 0) === isFlipped ? "at-head" : "at-foot"} ${lead >= 0 ? "first" : "second"}`;
    this.cursor.setAttribute("x1", at);
    this.cursor.setAttribute("x2", at);
  }
}

// Draws a frame of Werewolf: the players with their roles, who is dead, who chose whom, and what was said.
GAMES.werewolf = {
  action: "decision",

  draw(frame, game, flipped, at) {
    const players = game.frames[0].roster.map((player, place) => playerCard(frame, game, place, player, at));
    const said = frame.kind === "message" ? h("blockquote", {}, frame.text || "(silent)") : "";
    const result = frame.result ? h("p", { class: "came-of-it" }, capital(frame.result)) : "";
    const night = frame.time.startsWith("Night") ? "night" : "";
    return h("div", { class: `werewolf ${night}` }, h("h3", {}, frame.time), h("ul", { class: "villagers" }, ...(flipped ? players.reverse() : players)), wordsOf(frame, game), said, result);
  },

  length: (decisions) => counted(decisions, "decision"),

  cell: (frame, at, game) => (frame.by < 0 ? capital(frame.label) : `${game.frames[0].roster[frame.by][0]} ${frame.label}`),

  heading: (frame, game) => (frame.by < 0 ? capital(frame.label) : `${frame.time}: ${game.frames[0].roster[frame.by][0]} ${frame.label}`),

  said(frame, game) {
    const words = frame.by < 0 ? frame.time : `${frame.time}: ${game.frames[0].roster[frame.by][0]} ${frame.label}`;
    return [words, frame.kind === "message" ? frame.text || "nothing" : "", frame.result || ""].filter(Boolean).join(". ");
  },
};

function wordsOf(frame, game) {
  return h("p", {}, frame.by < 0 ? "" : `${game.frames[0].roster[frame.by][0]} ${frame.label}`);
}

function playerCard(frame, game, place, [name, role], at) {
  const isBad = game.unusable.some(([frameOf, by]) => frameOf === at && by === place);
  const isDead = frame.dead.includes(place);
  const chosen = frame.votes.find(([by]) => by === place);
  const against = frame.votes.filter(([, to]) => to === place).length;
  const classes = ["villager", `is-${role}`, isDead ? "dead" : "", frame.by === place ? "acting" : "", isBad ? "unusable-seat" : ""].join(" ");
  return h("li", { class: classes }, h("b", {}, name), h("small", {}, `${role}${isDead ? ", dead" : ""}, ${game.placed[place]}`),
    h("small", { class: "chose" }, chosen ? `→ ${game.frames[0].roster[chosen[1]][0]}` : "\u00a0"), h("small", {}, against ? `chosen by ${against}` : "\u00a0"));
}

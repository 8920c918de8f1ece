// What the address names is shown; anything else is the overview.
//
//     #g=GAME&k=FRAME    a game at an action; k=end: at its end; k=unusable: at its first unusable answer
//     #m=MATCH           the list of a match's games, and of these only some, in another order:
//       &result=won|drawn|lost   &end=checkmate   &career=2   &unusable=any|none|CLASS   &seat=a|b   &sort=-unusable   &page=1
const overview = document.getElementById("overview");
const view = document.getElementById("view");
let replay = null;
let asked = 0;

function hashOf(wanted) {
  const named = Object.entries(wanted).filter(([, value]) => value);
  return "#" + named.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

function wantedNow() {
  const wanted = {};
  for (const part of location.hash.slice(1).split("&")) {
    const [name, value] = part.split("=");
    if (value !== undefined) {
      try {
        wanted[name] = decodeURIComponent(value);
      } catch {
        wanted[name] = value;
      }
    }
  }
  return wanted;
}

function go(wanted) {
  location.hash = hashOf(wanted);
}

async function show() {
  const wanted = wantedNow();
  const number = (asked += 1);
  const { activeElement } = document;
  const focused = activeElement?.name ? `select[name="${CSS.escape(activeElement.name)}"]` : activeElement?.dataset.sort ? `[data-sort=${activeElement.dataset.sort}]` : "";
  if (!wanted.g && !wanted.m) {
    view.hidden = true;
    overview.hidden = false;
    if (location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView();
    return;
  }
  try {
    const shown = await (wanted.g ? game(wanted) : gameList(wanted, go));
    if (number !== asked) return;
    replay = wanted.g ? shown : null;
    view.replaceChildren(wanted.g ? shown.element() : shown);
    overview.hidden = true;
    view.hidden = false;
    if (replay) replay.show(frameOf(wanted.k, replay.game));
  } catch (error) {
    if (number !== asked) return;
    view.replaceChildren(h("p", {}, h("a", { href: "#games" }, "← Overview")), h("p", { class: "fault", role: "alert" }, error.message));
  }
  overview.hidden = true;
  view.hidden = false;
  const filter = focused && view.querySelector(focused);
  if (filter) {
    filter.focus({ preventScroll: true });
    return;
  }
  window.scrollTo(0, 0);
  view.querySelector("h1")?.focus({ preventScroll: true });
}

function frameOf(k, game) {
  if (k === "end") return Infinity;
  return k === "unusable" ? game.unusable[0]?.[0] : Number(k || 0);
}

async function game(wanted) {
  const { g, k, ...rest } = wanted;
  return new Replay(await openGame(g), rest);
}

window.addEventListener("hashchange", () => {
  replay?.pause();
  replay = null;
  show();
});
window.addEventListener("keydown", (event) => {
  if (replay) replay.pressed(event);
});
// On paper the numbers of a chart stand below it, and the prompt below the reply.
let opened = [];
window.addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("main:not([hidden]) :is(figure, .chat) details:not([open])")];
  for (const one of opened) one.open = true;
});
window.addEventListener("afterprint", () => {
  for (const one of opened) one.open = false;
});
show();

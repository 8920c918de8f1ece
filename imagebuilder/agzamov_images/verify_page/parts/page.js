"use strict";
const $ = (id) => document.getElementById(id);
const KEY_BYTES_MAX = 65536;
const STAGES = ["unpacking Python", "starting Python", "loading the verifier"];
const scripts = self.trustedTypes?.createPolicy("worker-of-this-page", { createScriptURL: (url) => url }) ?? { createScriptURL: (url) => url };
const TRUST_FILE = /\.(json|pem|crt|cer)$/i;
/** Whom the person trusts: files by name (a policy, roots, attestations), and the log's folder. */
const trust = { files: new Map(), log: [], logName: "" };
let worker, key = null, next = null, last = null, again = false, began = 0, link = null;
let ready = false;

/** One element, whose children are texts and elements: nothing is ever read as HTML. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== ""));
  return made;
}

/** A line for everybody, which a screen reader reads too. */
function say(text) {
  $("status").textContent = text;
}

// --- start -------------------------------------------------------------------------------------

function bytesOf(id) {
  const block = $(id), text = block.textContent;
  block.remove();
  const packed = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function start() {
  if (!self.DecompressionStream || !self.WebAssembly) throw new Error("this browser is too old: it needs WebAssembly and DecompressionStream");
  const [script, wasm, stdlib, site] = await Promise.all(["worker", "wasm", "stdlib", "site"].map(bytesOf));
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  worker = new Worker(scripts.createScriptURL(address));
  worker.onmessage = ({ data }) => HEARD[data.kind](data);
  worker.onerror = (event) => failed(event.message || "the worker could not be started");
  worker.postMessage({ wasm, stdlib, site }, [wasm, stdlib, site]);
}

function atStage(stage) {
  $("doing").textContent = `Getting ready: ${stage + 1} of ${STAGES.length}, ${STAGES[stage]}.`;
  $("bar").value = stage;
}

const HEARD = {
  stage: ({ stage }) => atStage(stage),
  progress: ({ text }) => atWork(text),
  ready: () => {
    ready = true;
    if (next) return begin();
    document.body.dataset.state = "ready";
    say("Ready.");
  },
  done: (told) => {
    say(told.cards ? `${last.root}: checked in ${told.seconds.toFixed(1)} s.` : `${last.root}: not checked.`);
    show(told);
    finish("done");
  },
  failed: ({ text }) => failed(text),
};

function failed(text) {
  say(`This page could not go on: ${text}`);
  finish("failed");
}

function finish(state) {
  $("result").hidden = state !== "done";
  document.body.dataset.state = state;
  next = null;
  if (again) choose(last.files, last.root);
  else if (state === "done") {
    $("headline").focus();
    if (matchMedia("(max-width: 30rem)").matches) $("result").scrollIntoView();
  }
}

// --- a check -----------------------------------------------------------------------------------

/** Check files, each {path, file}; `root` is the archive's name or the folder's. */
function choose(files, root) {
  if (!files.length) return;
  if (next) return say(`${next.root} is being checked. To stop that, load this page again.`);
  last = next = { files, root };
  again = false;
  $("result").hidden = true;
  if (ready) begin();
  else say(`${root} will be checked as soon as Python has started.`);
}

function begin() {
  began = Date.now();
  document.body.dataset.state = "checking";
  $("patience").textContent = "A small bundle takes a few seconds, a large one minutes.";
  say(`Checking ${next.root}.`);
  atWork("");
  worker.postMessage({ ...next, key: key ? key.bytes : new ArrayBuffer(0), trusted: trusted() });
}

/** The files of whom the person trusts, as Python finds them: files/ and log/. */
function trusted() {
  return [...[...trust.files].map(([name, file]) => ({ path: `files/${name}`, file })), ...trust.log];
}

/** `text` says how far the check is, often as "3 of 36". */
function atWork(text) {
  const seconds = Math.round((Date.now() - began) / 1000);
  $("doing").dataset.text = text;
  $("doing").textContent = `${text || "reading"} (${seconds} s)`;
  const counts = /([\d,]+) of ([\d,]+)/.exec(text)?.slice(1).map((part) => Number(part.replaceAll(",", "")));
  if (!counts) return $("bar").removeAttribute("value");
  $("bar").max = counts[1] || 1;
  $("bar").value = counts[0];
}

setInterval(() => {
  if (document.body.dataset.state === "checking") atWork($("doing").dataset.text);
}, 1000);

// --- the verdict -------------------------------------------------------------------------------

function show({ code, cards, text, details, verdict }) {
  const told = cards ? JSON.parse(cards) : refusal(text);
  $("badge").dataset.kind = told.badge.kind;
  $("headline").textContent = told.badge.words;
  $("headline").dataset.code = code;
  $("note").textContent = told.note;
  $("which").textContent = told.run ? `Run ${told.run} ${told.title}` : "";
  const built = [...(told.findings.length ? [findings(told)] : []), ...told.answers.map(answer), ...(told.command ? [missing(told)] : [])];
  if (told.measured) built.push(card("wide", "What was measured", element("p", {}, told.measured)));
  if (told.departs) built.push(departures(told.departs));
  if (told.warnings.length) built.push(list("wide warnings", "Warnings", told.warnings));
  built.push(...told.levels.map(({ title, lines }) => list("wide", title, lines)));
  if (told.next) built.push(card("wide", `For level ${told.next.level}`, element("p", {}, told.next.words)));
  if (told.key) built.push(whose(told.key));
  if (told.recomputed.length) built.push(list("", "Computed again here", told.recomputed));
  if (told.claimed.length) built.push(list("", "Only claimed by the submitter", told.claimed));
  $("cards").replaceChildren(...built);
  foldSteps(told.steps);
  $("screen").textContent = text;
  $("details").textContent = details;
  $("verdict").textContent = verdict;
  $("more").hidden = !verdict;
  if (link) URL.revokeObjectURL(link);
  link = URL.createObjectURL(new Blob([verdict], { type: "application/json" }));
  $("download").href = link;
}

/** The cards of what is no bundle: none but the reason. */
function refusal(text) {
  return { badge: { kind: "refused", words: "Nothing was checked" }, note: text, run: "", findings: [], answers: [], levels: [], warnings: [], recomputed: [], claimed: [], steps: [] };
}

function card(name, title, ...children) {
  return element("section", { class: `card ${name}` }, element("h3", {}, title), ...children);
}

function list(name, title, lines) {
  return card(name, title, element("ul", {}, ...lines.map((line) => element("li", {}, line))));
}

/** Departures from the protocol; more than a few are folded. */
function departures({ words, lines }) {
  const all = element("ul", {}, ...lines.map((line) => element("li", {}, line)));
  const folded = element("details", {}, element("summary", {}, `The ${lines.length} kinds of departure`), all);
  return card("wide", "The protocol", element("p", {}, `${words}${lines.length ? "" : "."}`), ...(lines.length > 4 ? [folded] : lines.length ? [all] : []));
}

function answer(one) {
  const made = card("answer", one.game, ...(one.figure ? figure(one.figure) : []), element("p", {}, one.sentence));
  made.dataset.shown = one.verdict;
  made.firstChild.append(element("span", { class: "shown" }, one.verdict));
  if (one.cost) made.append(element("p", { class: "quiet" }, `Cost: ${one.cost}.`));
  return made;
}

function figure(one) {
  const interval = one.interval ? element("small", {}, ` ${one.interval}`) : "";
  const told = [element("p", { class: "big" }, one.value, interval), element("p", { class: "unit" }, one.unit)];
  return one.interval ? [...told, bar(one), element("p", { class: "quiet" }, `Dashed line: ${one.even}.`)] : told;
}

/** The interval as a bar, the figure as a stroke on it, a dashed line at the value of no difference. */
function bar({ at, low, high, null: even }) {
  const ends = [Math.min(low, even), Math.max(high, even)], room = (ends[1] - ends[0]) * 0.08 || 1;
  const x = (value) => (100 * (value - ends[0] + room)) / (ends[1] - ends[0] + 2 * room);
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = (name, x1, y1, x2, y2) => {
    const one = document.createElementNS(made.namespaceURI, "line");
    for (const [key, value] of Object.entries({ class: name, x1, y1, x2, y2 })) one.setAttribute(key, value);
    made.append(one);
  };
  for (const [name, value] of Object.entries({ viewBox: "0 0 100 20", preserveAspectRatio: "none", "aria-hidden": "true" })) made.setAttribute(name, value);
  line("axis", 0, 10, 100, 10);
  line("interval", x(low), 10, x(high), 10);
  line("null", x(even), 0, x(even), 20);
  line("at", x(at), 3, x(at), 17);
  return made;
}

function missing({ missing: parts, command, steps: all }) {
  const isAll = all.filter((step) => step.status === "not checked").length === parts.length;
  const rest = isAll ? "All else was checked, and holds. " : "";
  const words = `${rest}A browser has no chess engine. On a machine with Stockfish 15.1 this command checks what is missing too:`;
  return card("wide", `Missing: ${parts.join(", ")}`, element("p", {}, words), element("code", { class: "command" }, command));
}

function findings({ findings: all, findings_left: left, steps }) {
  const told = all.flatMap((one, index) => [
    one.step === all[index - 1]?.step ? "" : element("h4", {}, `Step ${one.step} fails: ${steps[one.step - 1].words}`),
    element("p", {}, element("code", {}, one.place)),
    element("dl", {}, element("dt", {}, "expected"), element("dd", { class: "exact" }, one.expected), element("dt", {}, "found"), element("dd", { class: "exact" }, one.found)),
  ]);
  const more = left ? [element("p", {}, `And ${left.toLocaleString("en")} more: the verdict as JSON lists them.`)] : [];
  return card("wide findings", "What is wrong", ...told, ...more);
}

const WHOSE = {
  unchosen: "This page cannot know whose key that is. Ask the submitter for the key by another road than the one the bundle came by, and choose it: the check then runs again.",
  yours: "That is the key that you chose.",
  other: "That is not the key that you chose. If you took the wrong key file, choose another one; if you did not, this bundle is not from whom you think.",
};

function whose({ id, state }) {
  if (state === "unread") return card("wide", "Whose is it?", element("p", {}, "Not known: the check did not come as far as the signature."));
  const made = card("wide", "Whose is it?", element("p", {}, "Signed by key ", element("code", {}, id), "."), element("p", {}, WHOSE[state]));
  if (state !== "yours") {
    const button = element("button", { type: "button" }, "Choose the key file");
    button.addEventListener("click", () => $("key").click());
    made.append(button);
  }
  return made;
}

function foldSteps(all) {
  const counts = new Map();
  for (const { status } of all) counts.set(status, (counts.get(status) ?? 0) + 1);
  const told = [...counts].map(([status, count]) => `${count} ${count > 1 ? { holds: "hold", fails: "fail", "does not apply": "do not apply" }[status] ?? status : status}`);
  $("steps").firstElementChild.textContent = `The ${all.length} steps of the check: ${told.join(", ")}`;
  $("steps").lastElementChild.replaceChildren(
    ...all.map(({ words, status, remark }) =>
      element("li", {}, `${words}: `, element("b", { "data-status": status }, status), remark ? element("div", { class: "quiet" }, remark) : ""),
    ),
  );
}

// --- what a person chooses ---------------------------------------------------------------------

/** What was dropped, as files: archives, folders, or what is inside of a folder, each with its path from there. */
async function dropped(transfer) {
  const plain = [...transfer.files].map((file) => ({ path: file.name, file }));
  // Chromium reads no dropped folder by entries on a page from the disk; Firefox and Safari have no handles.
  const asked = [...transfer.items].map((item) => item.getAsFileSystemHandle?.() ?? item.webkitGetAsEntry?.());
  const all = (await Promise.all(asked.map((one) => Promise.resolve(one).catch(() => null)))).filter(Boolean);
  if (!all.some((one) => one.isDirectory || one.kind === "directory")) return plain;
  const files = [];
  for (const one of all) await gather(one, one.name, files);
  return files;
}

/** Dropped files apart: the bundle's, a log's folder, and single files that say whom the person trusts. */
function apart(files) {
  const groups = new Map();
  for (const one of files) {
    const name = rootOf([one]);
    if (groups.has(name)) groups.get(name).push(one);
    else groups.set(name, [one]);
  }
  const has = (name, path) => groups.get(name).some((one) => one.path.startsWith(`${name}/${path}`));
  const told = { files: [], log: [], bundle: [] };
  const rest = [];
  for (const [name, group] of groups) {
    if (group.length === 1 && group[0].path === name && TRUST_FILE.test(name)) told.files.push(group[0].file);
    else if (has(name, "checkpoint") && has(name, "tile/") && !has(name, "bagit.txt")) told.log = group;
    else rest.push(group);
  }
  told.bundle = rest.length > 1 ? rest.flat().map(({ path, file }) => ({ path: `bundle/${path}`, file })) : rest.flat();
  return told;
}

/** The files of an entry or a handle, and of the folders in it. An entry has no kind, and a folder's has a `getFile` too. */
async function gather(one, path, files) {
  if (one.kind === "file") files.push({ path, file: await one.getFile() });
  else if (one.isFile) files.push({ path, file: await new Promise((done, no) => one.file(done, no)) });
  else for await (const child of children(one)) await gather(child, `${path}/${child.name}`, files);
}

async function* children(folder) {
  if (folder.values) return yield* folder.values();
  const reader = folder.createReader();
  for (let some; (some = await new Promise((done, no) => reader.readEntries(done, no))).length; ) yield* some;
}

const rootOf = (files) => files[0]?.path.split("/")[0] ?? "";

async function useKey(file) {
  if (file && file.size > KEY_BYTES_MAX) return say(`${file.name} is too large for a key: a public key is a file of a few lines.`);
  key = file ? { name: file.name, bytes: await file.arrayBuffer() } : null;
  $("key-line").hidden = !key;
  $("key-name").textContent = key?.name ?? "";
  checkAgain();
}

/** Take files and a log's folder of whom the person trusts; with neither, forget them. */
function useTrust(files, log) {
  if (!files.length && !log.length) trust.files.clear();
  if (log.length || !files.length) {
    trust.logName = rootOf(log);
    trust.log = log.map(({ path, file }) => ({ path: `log${path.slice(trust.logName.length)}`, file }));
  }
  for (const file of files) trust.files.set(file.name, file);
  const names = [...trust.files.keys(), ...(trust.log.length ? [`the log in ${trust.logName}`] : [])];
  $("trust-line").hidden = !names.length;
  $("trust-names").textContent = names.join(", ");
  if (names.length) $("whom").open = true;
}

function checkAgain() {
  if (next && document.body.dataset.state === "checking") again = true;
  else if (last && !next) choose(last.files, last.root);
}

for (const id of ["file", "folder", "key", "trust", "log"]) $(`choose-${id}`).addEventListener("click", () => $(id).click());
$("choose-folder").hidden = $("choose-log").hidden = !("webkitdirectory" in $("folder"));
$("forget-key").addEventListener("click", () => useKey(null));
$("key").addEventListener("change", async ({ target }) => {
  await useKey(target.files[0]).catch((error) => say(`The key file could not be read: ${error.message}`));
  target.value = "";
});
$("forget-trust").addEventListener("click", () => {
  useTrust([], []);
  checkAgain();
});
for (const id of ["trust", "log"])
  $(id).addEventListener("change", ({ target }) => {
    const files = [...target.files];
    if (id === "trust") useTrust(files, []);
    else useTrust([], files.map((file) => ({ path: file.webkitRelativePath || file.name, file })));
    target.value = "";
    checkAgain();
  });
for (const id of ["file", "folder"])
  $(id).addEventListener("change", ({ target }) => {
    const files = [...target.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
    choose(files, rootOf(files));
    target.value = "";
  });
for (const kind of ["dragover", "dragleave", "drop"])
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    document.body.classList.toggle("over", kind === "dragover");
  });
document.addEventListener("drop", async ({ dataTransfer }) => {
  try {
    const files = await dropped(dataTransfer);
    if (!files.length) return say("Nothing that can be read was dropped: drop a folder, a .tar or a .zip.");
    const { files: said, log, bundle } = apart(files);
    if (said.length || log.length) useTrust(said, log);
    if (bundle.length) choose(bundle, rootOf(bundle));
    else checkAgain();
  } catch (error) {
    say(`What was dropped could not be read (${error.message}): choose it by the button.`);
  }
});
start().catch((error) => failed(error.message));

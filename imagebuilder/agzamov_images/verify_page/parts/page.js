"use strict";
const $ = (id) => document.getElementById(id);
const LEVELS = { 0: "Consistent: level V1 reached", 1: "A check failed", 2: "Not checked: this is no bundle", 3: "Nothing failed, but not everything could be checked" };
let worker, ready = false, next = null, began = 0, link = null;

function say(text) {
  $("status").textContent = text;
}

function bytesOf(id) {
  const block = $(id), text = block.textContent;
  block.remove();
  const packed = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function start() {
  if (!self.DecompressionStream || !self.WebAssembly) throw new Error("this browser is too old: it needs WebAssembly and DecompressionStream");
  const [script, wasm, stdlib, site] = await Promise.all(["worker", "wasm", "stdlib", "site"].map(bytesOf));
  worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  worker.onmessage = ({ data }) => HEARD[data.kind](data);
  worker.onerror = (event) => failed(event.message || "the worker could not be started");
  worker.postMessage({ wasm, stdlib, site }, [wasm, stdlib, site]);
}

const HEARD = {
  progress: ({ text }) => say(text || "checking"),
  ready: () => {
    ready = true;
    say("Ready. Nothing that you choose leaves this machine.");
    document.body.dataset.state = "ready";
    begin();
  },
  done: (told) => {
    const seconds = told.seconds.toFixed(1);
    say(`${next?.root ?? "The bundle"}: checked in ${seconds} s.`);
    $("level").textContent = LEVELS[told.code];
    $("level").dataset.code = told.code;
    $("screen").textContent = told.text;
    $("details").textContent = told.details;
    $("verdict").textContent = told.verdict;
    $("more").hidden = !told.verdict;
    if (link) URL.revokeObjectURL(link);
    link = URL.createObjectURL(new Blob([told.verdict], { type: "application/json" }));
    $("download").href = link;
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
  $("work").hidden = true;
  next = null;
  if (state === "done") $("level").focus();
}

/** Check files, each {path, file}; `root` is the tar's name or the folder's. */
function choose(files, root) {
  if (next || !files.length) return;
  next = { files, root };
  $("result").hidden = true;
  $("work").hidden = false;
  $("name").textContent = root;
  document.body.dataset.state = "checking";
  began = Date.now();
  begin();
}

async function begin() {
  if (!ready || !next) return;
  const file = $("key").files[0];
  const key = file ? await file.arrayBuffer() : new ArrayBuffer(0);
  worker.postMessage({ ...next, key });
}

/** A dropped folder's files, or the dropped file. */
async function dropped(transfer) {
  const entry = transfer.items[0]?.webkitGetAsEntry?.();
  if (!entry?.isDirectory) return [...transfer.files].slice(0, 1).map((file) => ({ path: file.name, file }));
  const files = [], waiting = [entry];
  while (waiting.length) {
    const one = waiting.pop();
    if (one.isFile) {
      files.push({ path: one.fullPath.slice(1), file: await new Promise((done, no) => one.file(done, no)) });
      continue;
    }
    const reader = one.createReader();
    for (let some; (some = await new Promise((done, no) => reader.readEntries(done, no))).length; ) waiting.push(...some);
  }
  return files;
}

$("tar").addEventListener("change", ({ target }) => {
  const file = target.files[0];
  if (file) choose([{ path: file.name, file }], file.name);
  target.value = "";
});
$("folder").addEventListener("change", ({ target }) => {
  const files = [...target.files].map((file) => ({ path: file.webkitRelativePath, file }));
  choose(files, files[0]?.path.split("/")[0] ?? "");
  target.value = "";
});
for (const kind of ["dragover", "dragleave", "drop"])
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    $("drop").classList.toggle("over", kind === "dragover");
  });
document.addEventListener("drop", async ({ dataTransfer }) => {
  try {
    const files = await dropped(dataTransfer);
    choose(files, files[0]?.path.split("/")[0] ?? "");
  } catch (error) {
    say(`The folder could not be read (${error.message}): choose it by the button.`);
  }
});
setInterval(() => {
  if (next) $("clock").textContent = `${Math.round((Date.now() - began) / 1000)} s`;
}, 500);
start().catch((error) => failed(error.message));

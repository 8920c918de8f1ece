// Runs in a worker, below Pyodide's two modules: starts Python, then checks one bundle after the other.
// In: {site, wasm, stdlib} once, then {files: [{path, file}], root, key, trusted: [{path, file}]}. Out: {kind, …}.
const STORED = new Map();
const tell = (kind, rest) => self.postMessage({ kind, ...rest });

// Nothing is fetched: what Pyodide asks for is answered from memory, and the page's policy forbids the rest.
self.fetch = async (address) => {
  const name = String(address.url ?? address).split("/").pop();
  const bytes = STORED.get(name);
  if (!bytes) throw new TypeError(`nothing is fetched here, and ${name} is not in the page`);
  return new Response(bytes, { headers: { "Content-Type": name.endsWith(".wasm") ? "application/wasm" : "application/zip" } });
};

let python, check;

async function start({ wasm, stdlib, site }) {
  STORED.set("pyodide.asm.wasm", wasm).set("python_stdlib.zip", stdlib);
  tell("stage", { stage: 1 });
  python = await loadPyodide({
    indexURL: "memory:/",
    createPyodideModule: _createPyodideModule,
    lockFileContents: { info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten", version: "0", python: "3.14.2" }, packages: {} },
    env: { HOME: "/home", PYTHONDONTWRITEBYTECODE: "1" },
    stdout: () => {},
    stderr: () => {},
  });
  STORED.clear();
  tell("stage", { stage: 2 });
  python.unpackArchive(site, "zip", { extractDir: "/site" });
  python.runPython("import sys; sys.path.insert(0, '/site')");
  check = python.pyimport("verify_page.check_bundle").check;
  tell("ready", {});
}

function run({ files, root, key, trusted }) {
  const { FS } = python;
  FS.mkdir("/bundles");
  // Files are read where they lie, piece by piece: a bundle may be larger than memory.
  const blobs = files.map(({ path, file }) => ({ name: path, data: file }));
  FS.mount(FS.filesystems.WORKERFS, { blobs }, "/bundles");
  const place = trusted.length ? "/trusted" : "";
  const blobsTrusted = trusted.map(({ path, file }) => ({ name: path, data: file }));
  if (place) {
    FS.mkdir(place);
    FS.mount(FS.filesystems.WORKERFS, { blobs: blobsTrusted }, place);
  }
  const keyBytes = python.toPy(new Uint8Array(key));
  const began = performance.now();
  try {
    const told = check(`/bundles/${root}`, python.runPython("bytes")(keyBytes), (text) => tell("progress", { text }), place);
    const [code, cards, text, details, verdict] = told.toJs();
    told.destroy();
    tell("done", { code, cards, text, details, verdict, seconds: (performance.now() - began) / 1000 });
  } finally {
    keyBytes.destroy();
    FS.unmount("/bundles");
    FS.rmdir("/bundles");
    if (place) {
      FS.unmount(place);
      FS.rmdir(place);
    }
  }
}

self.onmessage = async ({ data }) => {
  try {
    await (data.wasm ? start(data) : run(data));
  } catch (error) {
    tell("failed", { text: String(error.message ?? error) });
  }
};

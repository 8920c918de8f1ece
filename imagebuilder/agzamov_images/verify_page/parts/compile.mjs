// Run by Node.js beside Pyodide's files: compiles sources.zip to bytecode.zip with the page's own Python.
import { loadPyodide } from "./pyodide.mjs";
import { readFileSync, writeFileSync } from "node:fs";

const python = await loadPyodide({
  lockFileContents: { info: { abi_version: "2026_0", arch: "wasm32", platform: "emscripten", version: "0", python: "3.14.2" }, packages: {} },
  env: { HOME: "/home", PYTHONHASHSEED: "0" },
});
python.FS.writeFile("/sources.zip", new Uint8Array(readFileSync("sources.zip")));
try {
  python.runPython(readFileSync("compile_sources.py", "utf8"));
} catch (error) {
  console.error(error.message); // without the megabyte of script that Node.js shows of an uncaught one
  process.exit(1);
}
writeFileSync("bytecode.zip", python.FS.readFile("/bytecode.zip"));

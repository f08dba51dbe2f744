// Runs a Python program in the CPython 3.10 of Pyodide and prints the value of its last line:
//     node python310.cjs PYODIDE FOLDER PROGRAM
// The program finds FOLDER at /given.
const fs = require("node:fs");
const path = require("node:path");

const [pyodide, root, program] = process.argv.slice(2).map((given) => path.resolve(given));
const { loadPyodide } = require(path.join(pyodide, "pyodide.js"));

async function main() {
  const python = await loadPyodide({ indexURL: pyodide + path.sep });
  python.FS.mkdir("/given");
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, "/given");
  console.log(python.runPython(fs.readFileSync(program, "utf8")));
}

// Node itself would print the source of the error, a line of a megabyte.
main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});

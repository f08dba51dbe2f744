// Reads {scope, injections, grammars, texts} from standard input, and prints for each text its
// tokens: the offsets of the first character and after the last, and the scopes.
const fs = require("fs");
const path = require("path");
const from = path.resolve(process.argv[2]) + path.sep;
const load = (name) => require(require.resolve(name, { paths: [from] }));
const oniguruma = load("vscode-oniguruma");
const textmate = load("vscode-textmate");
const wasm = require.resolve("vscode-oniguruma/release/onig.wasm", { paths: [from] });

const onigLib = oniguruma.loadWASM(fs.readFileSync(wasm)).then(() => ({
  createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
  createOnigString: (text) => new oniguruma.OnigString(text),
}));
const { scope, injections, grammars, texts } = JSON.parse(fs.readFileSync(0, "utf-8"));
const registry = new textmate.Registry({
  onigLib,
  loadGrammar: async (name) => grammars[name] ?? null,
  getInjections: () => injections,
});

// JavaScript counts UTF-16 units, Python characters
const length = (text) => Array.from(text).length;

function tokens(grammar, text) {
  let state = textmate.INITIAL;
  let start = 0;
  return text.split("\n").flatMap((line) => {
    const found = grammar.tokenizeLine(line, state);
    const first = start;
    state = found.ruleStack;
    start += length(line) + 1;
    return found.tokens.map((token) => [
      first + length(line.slice(0, token.startIndex)),
      first + length(line.slice(0, token.endIndex)),
      token.scopes,
    ]);
  });
}

registry.loadGrammar(scope).then((grammar) => {
  process.stdout.write(JSON.stringify(texts.map((text) => tokens(grammar, text))));
});

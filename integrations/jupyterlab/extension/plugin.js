// The plug-in of JupyterLab and Notebook: it gives the editor of each code cell the languages.

import { Lexer } from "./lexer.js";
import { createLanguages } from "./languages.js";
import { SQL_CELL } from "./magics.js";

/**
 * Returns the plug-in.
 *
 * @param {function(string): Promise<Object>} shared loads a package that JupyterLab shares
 */
export async function createPlugin(shared) {
  const [jupyter, state, language, common, highlight] = await Promise.all(
    [
      "@jupyterlab/codemirror",
      "@codemirror/state",
      "@codemirror/language",
      "@lezer/common",
      "@lezer/highlight",
    ].map(shared),
  );
  const rules = await (await fetch(new URL("lexer.json", import.meta.url))).json();
  const languages = createLanguages({ language, common, highlight }, new Lexer(rules));
  return {
    id: "eddyline:magics",
    description: "Colors %%sql cells and %sql lines.",
    autoStart: true,
    requires: [jupyter.IEditorExtensionRegistry, jupyter.IEditorLanguageRegistry],
    activate(_app, extensions, known) {
      extensions.addExtension({
        name: "eddyline-magics",
        factory: ({ model }) =>
          model.type === "code"
            ? jupyter.EditorExtensionRegistry.createImmutableExtension(
                colors(state, language, languages, () => languageOf(model, known)),
              )
            : null,
      });
    },
  };
}

/** Returns the language of a cell's kernel, or undefined while it is not loaded. */
function languageOf(model, known) {
  return known.findByMIME(model.mimeType)?.support?.language;
}

/** Returns the extension of an editor, whose language depends on its text. */
function colors({ EditorState, Prec }, { language }, { sql, none, python }, ofKernel) {
  const chosen = language.computeN(
    // the second changes with the language of the kernel
    ["doc", EditorState.languageData],
    (state) => {
      const text = state.sliceDoc();
      if (SQL_CELL.test(text)) return [sql];
      const base = ofKernel();
      return base?.name === "python" && text.includes("%sql") ? [python(base)] : [];
    },
  );
  return [
    Prec.high(chosen),
    // an editor with a choice of languages must have one
    Prec.lowest(language.of(none)),
    EditorState.languageData.of((state) => (state.facet(language) === sql ? [SYNTAX] : [])),
  ];
}

const SYNTAX = {
  commentTokens: { line: "--", block: { open: "/*", close: "*/" } },
  closeBrackets: { brackets: ["(", "[", "{", "'", '"', "`"] },
};

// Reads {sql, cells} from standard input: texts of SQL, and of cells of a notebook. Prints, with the
// files of JupyterLab's extension, whose folder is the argument, the tokens of each text of SQL, and
// for each cell whether it is SQL, the magics of its lines, and what stands before its SQL.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const load = (name) => import(pathToFileURL(path.join(folder, name)));
const { Lexer } = await load("lexer.js");
const { MAGIC, SQL_CELL, SQL_LINES } = await load("magics.js");
const lexer = new Lexer(JSON.parse(fs.readFileSync(path.join(folder, "lexer.json"), "utf-8")));
const { sql, cells } = JSON.parse(fs.readFileSync(0, "utf-8"));

// JavaScript counts UTF-16 units, Python characters
const length = (text, end) => Array.from(text.slice(0, end)).length;

// token by token of all texts, as the editor reads several cells by turns
function tokens(texts) {
  const found = texts.map(() => []);
  let reading = texts.map((text, index) => [index, lexer.tokens(text)]);
  while (reading.length) {
    reading = reading.filter(([index, rest]) => {
      const { done, value } = rest.next();
      if (!done) found[index].push(value);
      return !done;
    });
  }
  return found;
}

const inCharacters = (text, found) =>
  found.map(([kind, from, to]) => [kind, length(text, from), length(text, to)]);
const magics = (text) => ({
  cell: SQL_CELL.test(text),
  lines: Array.from(text.matchAll(SQL_LINES), ([line]) => line),
  before: MAGIC.exec(text)?.[0] ?? null,
});
const found = tokens(sql).map((each, index) => inCharacters(sql[index], each));
process.stdout.write(JSON.stringify({ sql: found, cells: cells.map(magics) }));

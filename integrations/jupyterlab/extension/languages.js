// The languages of code cells, for CodeMirror: SQL after a magic, and Python with lines of it.

import { MAGIC, SQL_LINES } from "./magics.js";

// after so many tokens the browser may do something else
const TOKENS_AT_ONCE = 500;

/**
 * Returns the languages by name: `sql`, for a text that begins with a magic; `none`, which colors
 * nothing; and `python`, a function that adds SQL after magics to Python.
 *
 * @param {Object} packages `language` of CodeMirror, `common` and `highlight` of Lezer
 * @param {Lexer} lexer splits SQL into tokens
 */
export function createLanguages({ language, common, highlight }, lexer) {
  const { Language, StreamLanguage, defineLanguageFacet } = language;
  const nodes = nodesOf(common, highlight);
  const parser = sqlParser(common, nodes, lexer);
  const pythons = new WeakMap();
  return {
    sql: new Language(defineLanguageFacet(), parser, [], "sql"),
    none: StreamLanguage.define({ token: (line) => line.skipToEnd() }),
    python(base) {
      if (!pythons.has(base)) {
        const mixed = pythonParser(common, base.parser, parser);
        pythons.set(base, new Language(base.data, mixed, [], base.name));
      }
      return pythons.get(base);
    },
  };
}

/** Returns the types of nodes: that of the tree, and one for each kind of token. */
function nodesOf({ NodeSet, NodeType }, { styleTags, tags }) {
  const styles = {
    Comment: tags.comment,
    Keyword: tags.keyword,
    Magic: tags.meta,
    Number: tags.number,
    Operator: tags.operator,
    QuotedName: tags.special(tags.string),
    String: tags.string,
    Type: tags.standard(tags.variableName),
  };
  const names = ["Sql", ...Object.keys(styles)];
  const types = names.map((name, id) => NodeType.define({ id, name, top: id === 0 }));
  return new NodeSet(types).extend(styleTags(styles));
}

/** Returns the parser of ranges that begin with a magic. */
function sqlParser({ Parser, Tree }, nodeSet, lexer) {
  const ids = Object.fromEntries(nodeSet.types.map(({ name, id }) => [name, id]));

  function* tokens(input, ranges) {
    for (const { from, to } of ranges) {
      const text = input.read(from, to);
      const [start, name] = MAGIC.exec(text);
      const at = start.indexOf(name);
      yield ["Magic", from + at, from + at + name.length];
      for (const [kind, first, end] of lexer.tokens(text, start.length)) {
        yield [kind, from + first, from + end];
      }
    }
  }

  /** What Lezer calls a PartialParse: its caller goes on, or stops it, between two advances. */
  class Parse {
    stoppedAt = null;
    buffer = [];

    constructor(input, ranges) {
      this.tokens = tokens(input, ranges);
      this.from = this.parsedPos = ranges[0].from;
      this.to = ranges.at(-1).to;
    }

    stopAt(place) {
      this.stoppedAt = place;
    }

    advance() {
      for (let count = 0; count < TOKENS_AT_ONCE; count++) {
        if (this.stoppedAt !== null && this.stoppedAt <= this.parsedPos) return this.tree();
        const { done, value } = this.tokens.next();
        if (done) {
          this.parsedPos = this.to;
          return this.tree();
        }
        const [kind, from, to] = value;
        this.buffer.push(ids[kind], from, to, 4);
        this.parsedPos = to;
      }
      return null;
    }

    tree() {
      const [start, length] = [this.from, this.parsedPos - this.from];
      return Tree.build({ buffer: this.buffer, nodeSet, topID: 0, start, length });
    }
  }

  return new (class extends Parser {
    createParse(input, _fragments, ranges) {
      return new Parse(input, ranges);
    }
  })();
}

/**
 * Returns the parser of Python with magics. Python's own parser sees a name in the place of each,
 * since it would take the quotes and brackets of SQL for its own.
 */
function pythonParser({ MountedTree, NodeProp, Parser, Tree }, python, sql) {
  /** Returns the tree of Python, over which that of SQL lies in the places of magics. */
  function withSql(tree, input) {
    const overlay = Array.from(input.read(0, tree.length).matchAll(SQL_LINES), (found) => ({
      from: found.index,
      to: found.index + found[0].length,
    })).filter(({ from }) => !isInString(tree, from));
    if (!overlay.length) return tree;
    const mounted = new MountedTree(sql.parse(input, [], overlay), overlay, sql);
    const { type, children, positions, length } = tree;
    return new Tree(type, children, positions, length, [[NodeProp.mounted, mounted]]);
  }

  class Parse {
    constructor(input) {
      this.input = input;
      const name = (magic) => magic.replace(/[^\n]/g, " ").replace(" ", "_");
      this.python = python.startParse(input.read(0, input.length).replace(SQL_LINES, name));
    }

    get parsedPos() {
      return this.python.parsedPos;
    }

    get stoppedAt() {
      return this.python.stoppedAt;
    }

    stopAt(place) {
      this.python.stopAt(place);
    }

    advance() {
      const tree = this.python.advance();
      return tree && withSql(tree, this.input);
    }
  }

  return new (class extends Parser {
    createParse(input) {
      return new Parse(input);
    }
  })();
}

function isInString(tree, place) {
  let node = tree.resolveInner(place, 1);
  while (node && !node.name.endsWith("String")) node = node.parent;
  return node !== null;
}

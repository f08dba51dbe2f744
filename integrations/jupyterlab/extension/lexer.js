// Splits SQL into tokens by the rules of lexer.json, which come from the grammar of eddyline.

/** A stack of states, each a list of rules of which the first that matches is taken. */
export class Lexer {
  /**
   * @param {Object} states the rules of each state, as they stand in lexer.json
   */
  constructor(states) {
    this.rules = {};
    const compile = (state) =>
      (this.rules[state] ??= states[state].flatMap(({ include, match, ...rule }) =>
        include ? compile(include) : { ...rule, match: new RegExp(match, "iy") },
      ));
    Object.keys(states).forEach(compile);
  }

  /**
   * Yields each token that has a color as [kind, index of its first character, index after it].
   *
   * @param {string} text what is read
   * @param {number} at the index at which the first statement begins
   */
  *tokens(text, at = 0) {
    let states = ["root"];
    while (at < text.length) {
      const rule = this.rules[states.at(-1)].find(({ match }) => {
        match.lastIndex = at;
        return match.test(text);
      });
      if (rule) {
        // before another text is read by the same rules
        const end = rule.match.lastIndex;
        if (rule.next === "#pop") states.pop();
        else if (rule.next) states.push(rule.next);
        if (rule.kind && at < end) yield [rule.kind, at, end];
        at = end;
      } else {
        // as Pygments does where no rule matches
        if (text[at] === "\n") states = ["root"];
        at += 1;
      }
    }
  }
}

// Where the SQL of IPython's magics stands in the text of a cell.

/** Matches the text of a cell that is SQL. */
export const SQL_CELL = /^\s*%%sql(?!\S)/;

/** Matches each `%sql` of a cell of Python, from its sign on, with the lines that it continues. */
export const SQL_LINES = /(?<=^(?:[^\n=%#]+=)?[ \t]*)%sql(?!\S)(?:.*\\\n)*.*/gm;

/**
 * Matches what stands before the SQL; its group is the name of the magic. Options may follow, such
 * as `--save name`. What follows an option is its value if another option or the end of the line
 * comes next: else it cannot be told from SQL.
 */
export const MAGIC =
  /^\s*(%%?sql)(?:[ \t]+--?[A-Za-z]\S*(?:[ \t]+[^\s-]\S*(?=[ \t]+--?[A-Za-z]|[ \t]*(?:\n|$)))?)*/;

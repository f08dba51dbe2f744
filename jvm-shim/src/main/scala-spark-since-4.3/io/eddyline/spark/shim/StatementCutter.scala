package io.eddyline.spark.shim

import org.apache.spark.sql.catalyst.parser.{SqlStatement, SqlStatementSplitResult}

/** Cuts a text at the offsets at which Spark has split another text of the same length. */
private[shim] object StatementCutter {

  /**
   * Returns `split` with pieces of `typed` in place of those of `masked`.
   *
   * @param typed the text as typed
   * @param masked the text of the same length in which each clause is blanked out
   * @param split the statements into which Spark has split `masked`, in order
   */
  def cut(
      typed: String, masked: String, split: SqlStatementSplitResult): SqlStatementSplitResult = {
    var from = 0
    // up to the terminator, because blanked words at a statement's end are not in `statement`
    def piece(statement: String, terminator: String): String =
      if (statement.isEmpty) {
        statement
      } else {
        val start = masked.indexOf(statement, from)
        val stop = if (terminator.isEmpty) masked.length
        else masked.indexOf(terminator, start + statement.length)
        from = stop + terminator.length
        typed.substring(start, stop).trim
      }
    val complete = split.completeStatements.map(s =>
      SqlStatement(piece(s.statement, s.terminator), s.terminator))
    split.copy(
      completeStatements = complete,
      partialStatement = piece(split.partialStatement, ""))
  }
}

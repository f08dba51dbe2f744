package io.eddyline.spark.parser

import org.apache.spark.sql.catalyst.parser.{SqlStatement, SqlStatementSplitResult}

/** Cuts a text where another text of the same length was split. */
private[parser] object StatementCutter {

  /**
   * @param typed what the user typed
   * @param masked the same text with its clauses blanked out, as long as `typed`
   * @param split `masked`, split by Spark: its statements are pieces of `masked`, in order
   */
  def cut(
      typed: String, masked: String, split: SqlStatementSplitResult): SqlStatementSplitResult = {
    var from = 0
    // up to the terminator, so that blanked words at a statement's end are not lost
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

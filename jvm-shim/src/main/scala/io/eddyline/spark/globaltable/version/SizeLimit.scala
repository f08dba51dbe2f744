package io.eddyline.spark.globaltable.version

import io.eddyline.spark.base.EddylineErrors

/** The error of a table or replica that exceeds a limit. */
private[globaltable] object SizeLimit {

  /**
   * Returns the error EDDYLINE_GLOBAL_TABLE.TOO_LARGE.
   *
   * @param size the size of the table, such as `11 rows`
   * @param limit the limit that it exceeds, such as `MAX ROWS 10`
   */
  def exceeded(
      table: String, size: String, limit: String, cause: Option[Throwable] = None): Throwable =
    EddylineErrors.analysis("EDDYLINE_GLOBAL_TABLE.TOO_LARGE",
      Map("table" -> table, "size" -> size, "limit" -> limit), cause = cause)
}

package io.eddyline.spark.emit.clause

import io.eddyline.spark.base.EddylineErrors

/** Raises the errors of the clause EMIT, with its position in the SQL text. */
private[emit] object EmitErrors {
  def fail(condition: String, emit: Emit, parameters: (String, String)*): Nothing =
    EddylineErrors.fail(s"EDDYLINE_EMIT.$condition", emit.origin, parameters: _*)
}

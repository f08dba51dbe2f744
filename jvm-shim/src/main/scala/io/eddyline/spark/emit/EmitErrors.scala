package io.eddyline.spark.emit

import io.eddyline.spark.EddylineErrors

/** The errors of the clause EMIT, each at its place. */
private[emit] object EmitErrors {
  def fail(condition: String, emit: Emit, parameters: (String, String)*): Nothing =
    throw EddylineErrors.analysis(s"EDDYLINE_EMIT.$condition", parameters.toMap, emit.origin)
}

package io.eddyline.spark.streamingquery.validation

/**
 * A difference between two definitions of a streaming query.
 *
 * @param part what differs: `source`, `key`, `aggregate`, `filter` …
 * @param before the part in the definition that wrote the checkpoint; None if it had none
 * @param after the part in the new definition; None if it has none
 * @param keepsState whether the new definition may continue from the checkpoint
 * @param reason a sentence that says why
 */
private[streamingquery] case class Difference(
    part: String,
    before: Option[String],
    after: Option[String],
    keepsState: Boolean,
    reason: String) {

  def verdict: String = if (keepsState) "keeps state" else "needs a new checkpoint"

  /** The difference in one line, for errors. */
  def text: String = {
    val change = (before, after) match {
      case (Some(before), Some(after)) => s"was $before and is $after"
      case (Some(before), None) => s"$before is gone"
      case (None, Some(after)) => s"$after is new"
      case (None, None) => "changed"
    }
    s"$part: $change. $reason"
  }
}

private[streamingquery] object Difference {
  def compatible(
      part: String, before: Option[String], after: Option[String], reason: String): Difference =
    Difference(part, before, after, keepsState = true, reason)

  def incompatible(
      part: String, before: Option[String], after: Option[String], reason: String): Difference =
    Difference(part, before, after, keepsState = false, reason)
}

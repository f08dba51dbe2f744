package io.eddyline.spark.assume

import java.util.Collections.synchronizedMap

/**
 * The verdicts of this driver, the last thousand used. A verdict is about a list of files, each by
 * path, length and time of change: a file more or one that was rewritten is another list.
 */
private[assume] object Verdicts {
  private val LIMIT = 1000

  /**
   * @param keys as columns and fields by name
   * @param reader all that decides what values are read from a file: format, schema, options
   */
  case class Question(keys: String, every: Int, reader: String, files: Seq[FileVersion])

  private val verdicts = synchronizedMap(
    new java.util.LinkedHashMap[Question, Verdict](16, 0.75f, true) {
      override def removeEldestEntry(eldest: java.util.Map.Entry[Question, Verdict]): Boolean =
        size > LIMIT
    })

  def get(question: Question): Option[Verdict] = Option(verdicts.get(question))

  def put(question: Question, verdict: Verdict): Unit = verdicts.put(question, verdict)
}

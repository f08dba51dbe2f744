package org.apache.spark.sql.catalyst.eddyline

import org.apache.spark.SparkRuntimeException
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.StringUtils
import org.apache.spark.sql.errors.QueryCompilationErrors

/** Spark's own errors, which only code in Spark's packages can raise. */
object SparkErrors {

  /** Returns UNRESOLVED_COLUMN at a name, with the most similar candidates first. */
  def unresolvedColumn(name: UnresolvedAttribute, candidates: Seq[Seq[String]]): Throwable =
    QueryCompilationErrors.unresolvedAttributeError(
      "UNRESOLVED_COLUMN",
      name.sql,
      StringUtils.orderSuggestedIdentifiersBySimilarity(name.name, candidates),
      name.origin)

  /** Returns an error of a task at the position in the typed text that `origin` gives. */
  def runtime(condition: String, parameters: Map[String, String], origin: Origin): Throwable =
    new SparkRuntimeException(
      condition, parameters, null, origin.getQueryContext, origin.context.summary())
}

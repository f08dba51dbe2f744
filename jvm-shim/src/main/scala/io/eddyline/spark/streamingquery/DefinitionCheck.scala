package io.eddyline.spark.streamingquery

import java.util.Locale

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.eddyline.SessionInternals

import io.eddyline.spark.base.{EddylineErrors, PlanValues, Redaction}
import io.eddyline.spark.shim.PlanShim

/**
 * Checks that a definition means the same to another application: it must not contain a secret, and
 * must not use what ends with the session that created it.
 *
 * Errors: EDDYLINE_STREAMING_QUERY.SECRET_IN_CLEAR, TEMPORARY_OBJECT, and those of the analyzer.
 */
private[streamingquery] object DefinitionCheck {
  private val TEMPORARY = "INVALID_TEMP_OBJ_REFERENCE"

  /** Checks a definition in the session that creates it; `text` is the statement as typed. */
  def check(definition: StreamingQueryDefinition, text: String, session: SparkSession): Unit = {
    val conf = session.sessionState.conf
    val secrets = Redaction.namesIn(conf, text)
    if (secrets.nonEmpty) refuseSecret(secrets.mkString(", "), definition)
    definition.options
      .find { case (key, value) =>
        value.nonEmpty && Redaction.isSecret(conf, key, value) && text.contains(value)
      }
      .foreach { case (key, _) => refuseSecret(s"the option $key", definition) }
    val catalog = session.sessionState.catalog
    // Spark's check of the plan, below, does not look for functions
    PlanValues.nodes(definition.query).collect {
      case function: UnresolvedFunction => function.nameParts
      case function: UnresolvedTableValuedFunction => function.name
      case function: UnresolvedGenerator => function.name.nameParts
    }.collectFirst {
      case Seq(name) if catalog.isTemporaryFunction(FunctionIdentifier(name)) =>
        refuse("function", quoteIdentifier(name), definition)
    }
    val plan = SessionInternals.plan(QuerySession.copyOf(session).resolve(definition.query))
    try PlanShim.requireNoTemporaryObject(definition.name, plan)
    catch {
      case e: AnalysisException if e.getCondition == TEMPORARY =>
        val parameters = e.getMessageParameters
        val kind = parameters.get("tempObj").toLowerCase(Locale.ROOT)
        refuse(kind, parameters.get("tempObjName"), definition)
    }
  }

  /** Returns the confs whose values differ from those of a new session, `fresh`. */
  def confs(
      session: SparkSession,
      fresh: SparkSession,
      definition: StreamingQueryDefinition): Map[String, String] = {
    val defaults = fresh.conf.getAll
    val changed = session.conf.getAll.filterNot { case (key, value) =>
      defaults.get(key).contains(value)
    }
    val conf = session.sessionState.conf
    changed.find { case (key, value) => Redaction.isSecret(conf, key, value) }
      .foreach { case (key, _) => refuseSecret(s"the conf $key of this session", definition) }
    changed
  }

  private def refuseSecret(what: String, definition: StreamingQueryDefinition): Nothing =
    EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.SECRET_IN_CLEAR", definition.place,
      "what" -> what, "name" -> definition.name)

  private def refuse(kind: String, name: String, definition: StreamingQueryDefinition): Nothing =
    EddylineErrors.fail("EDDYLINE_STREAMING_QUERY.TEMPORARY_OBJECT", definition.place,
      "name" -> definition.name, "kind" -> kind, "object" -> name)
}

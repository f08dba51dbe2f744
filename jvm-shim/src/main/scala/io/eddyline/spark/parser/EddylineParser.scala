package io.eddyline.spark.parser

import org.apache.spark.internal.Logging
import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.internal.{SQLConf, VariableSubstitution}
import org.apache.spark.sql.types.{DataType, StructType}

import io.eddyline.spark.base.EddylineConf
import io.eddyline.spark.parser.sidecar.{Reply, Sidecar}
import io.eddyline.spark.parser.view.{StoredText, ViewText}
import io.eddyline.spark.placeholder.{Placeholder, StatementText}
import io.eddyline.spark.shim.ParserShim

/**
 * Spark's parser extended by eddyline's clauses. Spark (`delegate`) parses a text first; only a
 * text that it rejects is lowered and parsed again, so ordinary SQL keeps its meaning and its cost.
 *
 * Errors: EDDYLINE_<CLAUSE>.* as `ParseException` at the offending word; EDDYLINE_SIDECAR.* if the
 * text may contain a clause and cannot be lowered; else Spark's own, at their position as typed.
 *
 * @param clauses the readers of the placeholders that the lowering writes for the clauses
 */
class EddylineParser(
    session: SparkSession, protected val delegate: ParserInterface, clauses: Seq[Placeholder])
  extends ParserShim with Logging {
  import EddylineParser.Reading

  private val placeholders = new PlaceholderResolver(clauses)

  override def parsePlan(text: String): LogicalPlan =
    read(text, Reading(delegate.parsePlan))

  override def parseQuery(text: String): LogicalPlan =
    read(text, Reading(delegate.parseQuery))

  /** Parses the text of `selectExpr` or `where`, which may contain a clause in a subquery. */
  override def parseExpression(text: String): Expression =
    read(text, Reading(delegate.parseExpression))

  override def parsePlanWithParameters(text: String, context: ParameterContext): LogicalPlan =
    if (SQLConf.get.legacyParameterSubstitutionConstantsOnly) {
      read(text, Reading(delegate.parsePlanWithParameters(_, context)))
    } else {
      read(text,
        Reading(
          delegate.parsePlanWithParameters(_, context), delegate.parsePlan,
          withValues(_, context)))
    }

  /**
   * Replaces the parameters of a lowered text by their values. Spark would do it with a position
   * mapper of its own, in place of eddyline's, so both steps are combined into one map.
   */
  private def withValues(lowered: SourceMap, context: ParameterContext): SourceMap = {
    val (_, values) =
      lowered.within(ParameterHandler.substituteParameters(lowered.lowered, context))
    lowered.andThen(values)
  }

  /** Parses a text as typed, and if Spark rejects that, as lowered. */
  private def read[T <: TreeNode[_]](text: String, reading: Reading[T]): T =
    try StoredText.by(delegate)(placeholders.resolve(text, reading.typed(text)))
    catch {
      case refused: ParseException if enabled =>
        val typed = new VariableSubstitution().substitute(text)
        reply(typed, refused) match {
          case Reply.Unchanged => throw NearMisses.explain(typed, refused)
          case Reply.Refused(condition, parameters, start, stop, _) =>
            throw SourceMap.parseError(typed, condition, parameters, start, stop)
          case Reply.Lowered(newText, edits, _) =>
            withVariables(text, typed, readLowered(new SourceMap(typed, newText, edits), reading))
        }
    }

  /** Gives a command that stores its statement the text with variables, such as `${env:X}`. */
  private def withVariables[T](text: String, typed: String, tree: T): T = tree match {
    case command: StatementText if text != typed => command.withText(text).asInstanceOf[T]
    case other => other
  }

  private def readLowered[T <: TreeNode[_]](lowered: SourceMap, reading: Reading[T]): T =
    try {
      val positions = reading.prepare(lowered)
      val tree = positions.within(readUnchanged(positions.lowered, reading))
      def stored(query: String): String = ViewText.stored(query, positions.typedPart(query))
      StoredText.by(delegate, positions.withValues)(new PlaceholderResolver(clauses, stored)
          .resolve(positions.lowered, OriginRelocator(tree, positions)))
    } catch {
      case e: ParseException => throw NearMisses.explain(lowered.typedText, lowered.toTyped(e))
    }

  /**
   * Parses a text in which Spark's parser replaces no variables: those of the typed text have been
   * replaced, and what looks like one now is part of the value of a variable.
   */
  private def readUnchanged[T](lowered: String, reading: Reading[T]): T =
    if (lowered.contains("${")) {
      val conf = SQLConf.get.clone()
      conf.setConf(SQLConf.VARIABLE_SUBSTITUTE_ENABLED, false)
      SQLConf.withExistingConf(conf)(reading.lowered(lowered))
    } else {
      reading.lowered(lowered)
    }

  /**
   * Returns the sidecar's reply to a text that Spark rejected. Only a text with the words of a
   * clause is sent, so that ordinary SQL gets Spark's error even if there is no Python.
   */
  private def reply(typed: String, refused: ParseException): Reply =
    if (!Keywords.mayStartClause(typed)) {
      Reply.Unchanged
    } else {
      try Sidecar.read(typed)
      catch {
        case missing: AnalysisException =>
          missing.addSuppressed(refused)
          throw missing
      }
    }

  protected def masked(text: String): Option[String] =
    if (!enabled || !Keywords.mayStartClause(text)) None
    else {
      try Sidecar.read(text).masked
      catch {
        case missing: AnalysisException =>
          logWarning("A text is split as Spark splits it", missing)
          None
      }
    }

  private def enabled: Boolean = session.sessionState.conf.getConf(EddylineConf.ENABLED)

  override def parseTableIdentifier(text: String): TableIdentifier =
    delegate.parseTableIdentifier(text)

  override def parseFunctionIdentifier(text: String): FunctionIdentifier =
    delegate.parseFunctionIdentifier(text)

  override def parseMultipartIdentifier(text: String): Seq[String] =
    delegate.parseMultipartIdentifier(text)

  override def parseTableSchema(text: String): StructType = delegate.parseTableSchema(text)

  override def parseDataType(text: String): DataType = delegate.parseDataType(text)

  override def parseRoutineParam(text: String): StructType = delegate.parseRoutineParam(text)
}

private object EddylineParser {

  /**
   * The functions that parse one kind of text, such as a plan or an expression.
   *
   * @param typed parses the text as typed
   * @param lowered parses the text that `prepare` returns
   * @param prepare changes the lowered text before it is parsed
   */
  private case class Reading[T](
      typed: String => T,
      lowered: String => T,
      prepare: SourceMap => SourceMap)

  private object Reading {
    def apply[T](both: String => T): Reading[T] = Reading(both, both, identity)
  }
}

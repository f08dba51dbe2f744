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

import io.eddyline.spark.EddylineConf

/**
 * Spark's parser with eddyline's clauses. Spark (`delegate`) reads a text first; only a text it
 * refuses is lowered and read again, so ordinary SQL keeps its meaning and its cost.
 *
 * Errors: EDDYLINE_<CLAUSE>.* as `ParseException` at the offending word; EDDYLINE_SIDECAR.* if the
 * text may hold a clause and cannot be lowered; else Spark's own, placed in the text as typed.
 */
class EddylineParser(session: SparkSession, delegate: ParserInterface)
  extends ParserInterface with Logging {

  override def parsePlan(text: String): LogicalPlan =
    parse(text)(delegate.parsePlan)(lowered => (delegate.parsePlan, lowered))

  override def parseQuery(text: String): LogicalPlan =
    parse(text)(delegate.parseQuery)(lowered => (delegate.parseQuery, lowered))

  /** Of `selectExpr`, `where` and the like, where a clause may stand in a subquery. */
  override def parseExpression(text: String): Expression =
    parse(text)(delegate.parseExpression)(lowered => (delegate.parseExpression, lowered))

  override def parsePlanWithParameters(text: String, context: ParameterContext): LogicalPlan =
    parse(text)(delegate.parsePlanWithParameters(_, context))(withParameters(_, context))

  /**
   * Spark installs a mapper of its own for parameters, in the place of ours, so the values are put
   * in here and both steps made one.
   */
  private def withParameters(
      lowered: Positions, context: ParameterContext): (String => LogicalPlan, Positions) =
    if (SQLConf.get.legacyParameterSubstitutionConstantsOnly) {
      (delegate.parsePlanWithParameters(_, context), lowered)
    } else {
      val (_, values) =
        lowered.within(ParameterHandler.substituteParameters(lowered.lowered, context))
      (delegate.parsePlan, lowered.andThen(values))
    }

  /**
   * @param plain Spark's parser, for the text as typed
   * @param second Spark's parser for a lowered text, and that text
   */
  private def parse[T <: TreeNode[_]](text: String)(plain: String => T)(
      second: Positions => (String => T, Positions)): T =
    try PlaceholderResolver(text, plain(text))
    catch {
      case refused: ParseException if enabled =>
        val typed = new VariableSubstitution().substitute(text)
        reply(typed, refused) match {
          case Reply.Unchanged => throw refused
          case refusal: Reply.Refused => throw Positions.parseError(typed, refusal)
          case Reply.Lowered(newText, edits, _) =>
            val lowered = new Positions(typed, newText, edits)
            try {
              val (parser, positions) = second(lowered)
              val tree = positions.within(parser(positions.lowered))
              PlaceholderResolver(positions.lowered, OriginRelocator(tree, positions))
            } catch { case e: ParseException => throw lowered.toTyped(e) }
        }
    }

  /**
   * What the sidecar says of a text that Spark refused. Only a text with the words of a clause
   * needs it, so that ordinary SQL gets Spark's error where there is no Python.
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

  /**
   * The spark-sql CLI splits its input by parsing it, and a clause of ours would tear a script at
   * its first semicolon. So a text of the same length, in which each clause is a plain query, is
   * split, and the typed text is cut at the same places. Where there is no sidecar, Spark splits
   * the text as typed, and a clause in it is refused when its statement runs.
   */
  override def splitStatements(text: String): SqlStatementSplitResult =
    if (!enabled || !Keywords.mayStartClause(text)) {
      delegate.splitStatements(text)
    } else {
      val masked = try Sidecar.read(text).masked.getOrElse(text)
        catch {
          case missing: AnalysisException =>
            logWarning("A text is split as Spark splits it", missing)
            text
        }
      StatementCutter.cut(text, masked, delegate.splitStatements(masked))
    }

  private def enabled: Boolean = session.sessionState.conf.getConf(EddylineConf.ENABLED)

  override def parseTableIdentifier(text: String): TableIdentifier =
    delegate.parseTableIdentifier(text)

  override def parseFunctionIdentifier(text: String): FunctionIdentifier =
    delegate.parseFunctionIdentifier(text)

  override def parseMultipartIdentifier(text: String): Seq[String] =
    delegate.parseMultipartIdentifier(text)

  override def parseTemporalTableIdentifier(text: String): TemporalIdentifier =
    delegate.parseTemporalTableIdentifier(text)

  override def parseTableSchema(text: String): StructType = delegate.parseTableSchema(text)

  override def parseDataType(text: String): DataType = delegate.parseDataType(text)

  override def parseRoutineParam(text: String): StructType = delegate.parseRoutineParam(text)
}

package io.eddyline.spark.base

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.spark.{ErrorClassesJsonReader, SparkThrowable}
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.eddyline.SparkErrors
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, InheritAnalysisRules}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.catalyst.util.toPrettySQL

/** eddyline's error conditions, in the form and in the registry of Spark's own. */
object EddylineErrors {

  private lazy val registered: Unit = {
    val helper =
      Class.forName("org.apache.spark.SparkThrowableHelper$").getField("MODULE$").get(null)
    val reader = helper.getClass.getMethod("errorReader").invoke(helper)
    addTo(reader.asInstanceOf[ErrorClassesJsonReader])
  }

  /** Adds eddyline's conditions to those of Spark or of another extension in a reader. */
  private[spark] def addTo(reader: ErrorClassesJsonReader): Unit = {
    val ours =
      new ErrorClassesJsonReader(Seq(getClass.getResource("/eddyline/error-conditions.json")))
    val field = classOf[ErrorClassesJsonReader].getDeclaredField("errorInfoMap")
    field.setAccessible(true)
    def conditions(of: ErrorClassesJsonReader) = field.get(of).asInstanceOf[Map[String, AnyRef]]
    field.set(reader, conditions(reader) ++ conditions(ours))
  }

  /**
   * Adds the conditions to the reader that Spark and PySpark ask for every message. Spark has no
   * extension point for this: without it PySpark shows INTERNAL_ERROR for each of them.
   */
  def register(): Unit = registered

  /** Returns the text of an expression as typed or, if that is unknown, as Spark prints it. */
  def asTyped(expression: Expression): String =
    expression.origin.getQueryContext.headOption.map(_.fragment) match {
      case None => toPrettySQL(expression)
      case Some(text) if PREDICATE.matches(text) => s"${operand(expression)}$text"
      case Some(text) => text
    }

  /** Matches the text that Spark gives a predicate: without its first operand, as in `IS NULL`. */
  private val PREDICATE = "(?is)(not\\s+)?(between|in|is|(i?like|regexp|rlike)(?!\\s*\\())\\b.*".r

  /** Returns the text of the first operand of a predicate. */
  private def operand(predicate: Expression): String = {
    val parts = predicate match {
      case call: InheritAnalysisRules => call.parameters
      case other => other.children
    }
    parts.headOption match {
      case Some(part) if part.origin == predicate.origin => operand(part) // as in NOT IN
      case Some(column: Attribute) => s"${column.name} " // its position may be another use's
      case other => other.fold("")(part => s"${asTyped(part)} ")
    }
  }

  /** Returns an analysis error at the position in the typed text that `origin` gives. */
  def analysis(
      condition: String,
      parameters: Map[String, String],
      origin: Origin = Origin(),
      cause: Option[Throwable] = None): AnalysisException =
    new AnalysisException(condition, parameters, origin, cause)

  /** Raises an analysis error at the position in the typed text that `origin` gives. */
  def fail(condition: String, origin: Origin, parameters: (String, String)*): Nothing =
    throw analysis(condition, parameters.toMap, origin)

  /** Returns an error of a task, and first registers the conditions on its executor. */
  def runtime(condition: String, parameters: Map[String, String], origin: Origin): Throwable = {
    register()
    SparkErrors.runtime(condition, parameters, origin)
  }

  /** Adds a position to an error of eddyline that has none; returns any other error as it is. */
  def withPosition(error: Throwable, origin: Origin): Throwable = error match {
    case ours: AnalysisException
        if isOurs(ours) && ours.getQueryContext.isEmpty && ours.line.isEmpty =>
      analysis(ours.getCondition, ours.getMessageParameters.asScala.toMap, origin, Some(ours))
    case other => other
  }

  /** Returns an error and its causes, the root cause last. */
  def causes(error: Throwable): Seq[Throwable] =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).toSeq

  /** Returns the message of the root cause, or its class if it has none. */
  def rootMessage(error: Throwable): String = {
    val root = causes(error).last
    Option(root.getMessage).getOrElse(root.toString)
  }

  /** Whether an error has one of eddyline's conditions. */
  def isOurs(error: Throwable): Boolean = error match {
    case named: SparkThrowable => Option(named.getCondition).exists(_.startsWith("EDDYLINE"))
    case _ => false
  }
}

/**
 * Matches errors after which a thread of eddyline can go on: those of `NonFatal`; a `LinkageError`,
 * which the jar of a catalog for another Spark raises; and a `StackOverflowError`.
 */
private[spark] object RecoverableError {
  def unapply(error: Throwable): Option[Throwable] = error match {
    case NonFatal(_) | _: LinkageError | _: StackOverflowError => Some(error)
    case _ => None
  }
}

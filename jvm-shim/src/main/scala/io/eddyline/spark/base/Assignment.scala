package io.eddyline.spark.base

import org.apache.spark.sql.catalyst.parser.SqlBaseLexer._

/**
 * A name to which a statement assigns string literals: an option or a property, as in
 * `WITH (password = 'x')`; a named argument, as in `password => 'x'`; or an entry of
 * `map('password', 'x')`, in which functions take options.
 */
private[base] case class Assignment(name: String, literals: Seq[SqlToken])

/**
 * Finds the assignments in a statement, since the name tells whether a literal is a secret.
 *
 * @param tokens those of the statement, without spaces and comments
 * @param isString whether a token is a string literal
 */
private[base] class Assignments(tokens: IndexedSeq[SqlToken], isString: SqlToken => Boolean) {
  import Assignments._

  def all: Seq[Assignment] = tokens.indices.flatMap { i =>
    tokens(i).kind match {
      case FAT_ARROW if i > 0 => Seq(assignment(tokens.slice(i - 1, i), tokens.drop(i + 1)))
      case LEFT_PAREN if i > 0 && PROPERTY_WORDS(tokens(i - 1).kind) => arguments(i).map(property)
      case LEFT_PAREN if i > 0 && tokens(i - 1).kind == MAP => entries(arguments(i))
      case _ => Nil
    }
  }

  /** Returns the assignment of a name and a value in a list, with or without `=` between them. */
  private def property(pair: Seq[SqlToken]): Assignment = {
    val (name, value) =
      if (pair.headOption.exists(isString)) pair.splitAt(1)
      else pair.span(token => token.kind != EQ && !isString(token))
    assignment(name, value.dropWhile(_.kind == EQ))
  }

  private def entries(arguments: Seq[Seq[SqlToken]]): Seq[Assignment] =
    arguments.grouped(2).collect {
      case Seq(key, value) if key.nonEmpty && key.forall(isString) => assignment(key, value)
    }.toSeq

  private def assignment(name: Seq[SqlToken], value: Seq[SqlToken]): Assignment =
    Assignment(name.map(_.text).mkString.filterNot(QUOTES.contains(_)), value.takeWhile(isString))

  /** Returns the arguments in the parentheses that open at an index, each as its tokens. */
  private def arguments(open: Int): Seq[Seq[SqlToken]] = {
    val depths = tokens.iterator.drop(open).scanLeft(0) { (depth, token) =>
      token.kind match {
        case LEFT_PAREN => depth + 1
        case RIGHT_PAREN => depth - 1
        case _ => depth
      }
    }.drop(1)
    val within = tokens.drop(open).zip(depths.takeWhile(_ > 0)).drop(1)
    within.foldLeft(Vector(Vector.empty[SqlToken])) {
      case (found, (token, 1)) if token.kind == COMMA => found :+ Vector.empty
      case (found, (token, _)) => found.init :+ (found.last :+ token)
    }
  }
}

private object Assignments {
  private val PROPERTY_WORDS =
    Set(OPTIONS, TBLPROPERTIES, PROPERTIES, DBPROPERTIES, SERDEPROPERTIES, WITH)

  private val QUOTES = "'\"`"
}

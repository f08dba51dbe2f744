package io.eddyline.spark.base

import scala.annotation.tailrec
import scala.util.matching.Regex
import scala.util.matching.Regex.Match

import org.apache.spark.sql.internal.SQLConf

/**
 * Removes secrets from options, statements, errors, plans and paths before users see them.
 *
 * It redacts what Spark redacts (`spark.redaction.regex`, `spark.sql.redaction.options.regex`,
 * `spark.sql.redaction.string.regex`) and also, whatever those say, the values of names that
 * usually name secrets, the user info before the `@` of a URL, and private keys.
 */
private[spark] object Redaction {

  /** The text that replaces a secret, the same as Spark's. */
  private val REDACTED = "*********(redacted)"

  /** Minimum length of a value that is searched for in texts; a shorter one may occur anywhere. */
  private val MIN_SECRET = 4

  /** Patterns of which the name of a secret contains one. */
  private val SECRET = Seq(
    "password", "passwd", "passphrase", "pwd", "secret", "token", "credential", "jaas",
    "access[._-]?key", "account[._-]?key", "api[._-]?key", "encryption[._-]?key",
    "private[._-]?key", "shared[._-]?key", "connection[._-]?string", "authorization",
    "(?<![a-z])sig(?:nature)?(?![a-z])").mkString("(?:", "|", ")")

  /** Matches a word that contains one of [[SECRET]], without backtracking: in linear time. */
  private val NAME = s"(?<![\\w.-])(?>[\\w.-]*?$SECRET[\\w.-]*+)"

  private val NAMED = s"(?i)$SECRET".r

  /** Matches the text before `'x'` in `'password' = 'x'`, `token 'x'`, `map('secret', 'x')`. */
  private val BEFORE_LITERAL = (s"(?i)(?:$NAME['`\"]?\\s*(?:(?:=>|==?|:)\\s*)?|" +
    s"['\"]$NAME['\"]\\s*,\\s*)(?=['\"])").r

  /** Types in a schema such as `STRUCT<token: STRING>`, which are no values. */
  private val TYPES =
    "(?:string|binary|boolean|(?:tiny|small|big)?int|float|double|decimal|date|timestamp|" +
      "array|map|struct|variant)\\b"

  /** What ends a value in a text. */
  private val END = "\\s,;&'\"(){}"

  /** A class of characters such as `[^&]` or `[a-z\d]`; another value may stand in brackets too. */
  private val CHARACTERS =
    "\\[(?:\\^[^\\]\\s]{0,50}|(?:\\w-\\w|\\\\{1,2}\\w|[._%+-]){1,20}+)\\]"

  /** A pattern of LIKE or of a regex, such as `%` or `\S+`, which is no value. */
  private val WILDCARDS =
    s"(?:[%_*.+?^$$|]|\\\\{1,2}[wWsSdD]|$CHARACTERS)++(?:[$END]|\\z)"

  /** What a token has and a word has not. */
  private val OF_TOKEN = s"(?:[^$END]{0,100}\\d|[^$END]{20})"

  /** Matches `password=x`, `"apiKey": x`, `Authorization: Bearer x`; in SQL x may be a column. */
  private val FIELD = field("")

  /** Matches the same, after a colon only if x looks like a token: `token: id of the session`. */
  private val IN_COMMENT = field(s"(?=(?:(?:basic|bearer)\\s+)?$OF_TOKEN)")

  private def field(afterColon: String): Regex =
    (s"(?i)($NAME(?:=|['\"]?:\\s*$afterColon)(?:(?:basic|bearer)\\s+)?+)" +
      s"(?!${Regex.quote(REDACTED)}|\\$$\\{|$TYPES|$WILDCARDS)([^$END]+)").r

  /** Matches `Bearer x` without a name, if x looks like a token and not like a word. */
  private val BEARER = s"(?i)(\\bbearer\\s+)(?=$OF_TOKEN)[\\w.~+/=-]{8,}".r

  /** Matches the user info in `jdbc:x://user:x@host`; `abfss://x@account` is no secret. */
  private val USER_INFO = ("""(?i)((?<![a-z0-9+.-])[a-z][a-z0-9+.-]{0,99}://)""" +
    """(?:[^\s/'":@]*:[^\s/'"]*|(?<=https?://)[^\s/'"]+)(@)""").r

  /** Matches `jdbc:oracle:thin:user/x@host`. */
  private val ORACLE = """(?i)(jdbc:oracle:\w{1,9}:)[^\s/'"@]{1,99}/[^\s'"@]{1,99}(@)""".r

  /** Matches a variable that Spark replaces when it parses a statement. */
  private val REFERENCE = "\\$\\{[^{}]+\\}".r

  /** What literals, quoted names and comments begin with. */
  private val QUOTES_AND_COMMENTS = "'\"`-/"

  private val PRIVATE_KEY =
    """(?s)(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(-----END|\z)""".r

  /** Replaces the values of options that are secrets. */
  def options(conf: SQLConf, options: Map[String, String]): Map[String, String] =
    conf.redactOptions(options).map {
      case (key, _) if NAMED.findFirstIn(key).isDefined => key -> REDACTED
      case (key, value) => key -> text(conf, value)
    }

  /** Whether an option is a secret by its name, or its value contains one. */
  def isSecret(conf: SQLConf, key: String, value: String): Boolean =
    options(conf, Map(key -> ""))(key).nonEmpty || text(conf, value) != value

  /** The secret values in options and in SQL, which are removed from any other text too. */
  def secrets(conf: SQLConf, options: Map[String, String], sql: String): Set[String] = {
    val shown = this.options(conf, options)
    val ofOptions = options.collect { case (key, value) if shown(key) == REDACTED => value }
    val ofText = literals(sql).map { case (start, end) => sql.slice(start + 1, end - 1) }
    (ofOptions ++ ofText).filter(_.length >= MIN_SECRET).toSet
  }

  /** Redacts an error, a path, a plan, or another text that is not SQL. */
  def text(conf: SQLConf, text: String, secrets: Set[String] = Set.empty): String = {
    val without = secrets.toSeq.sortBy(-_.length).foldLeft(text)(_.replace(_, REDACTED))
    fields(statement(conf, without))
  }

  /** Redacts SQL so that it still parses: named secrets are replaced in literals only. */
  def statement(conf: SQLConf, sql: String): String = {
    val literals = withoutFields(withoutLiterals(sql))
    val keys = Seq(USER_INFO, ORACLE, PRIVATE_KEY).foldLeft(literals) { (shown, pattern) =>
      replace(pattern, shown, m => m.group(1) + REDACTED + m.group(2))
    }
    conf.stringRedactionPattern.fold(keys)(replace(_, keys, _ => REDACTED))
  }

  /**
   * Redacts `'…password=x…'`, also in a comment, but not `token = x` outside of both, where x is a
   * column.
   */
  private def withoutFields(sql: String): String = {
    val shown = new StringBuilder
    @tailrec def from(at: Int): Unit = {
      val start = sql.indexWhere(QUOTES_AND_COMMENTS.contains(_), at)
      if (start < 0) shown ++= sql.substring(at)
      else {
        val end = partEnd(sql, start)
        val part = sql.substring(start, end)
        val isComment = part.startsWith("--") || part.startsWith("/*")
        shown ++= sql.substring(at, start) ++= (
          if (part.startsWith("`")) part else fields(part, if (isComment) IN_COMMENT else FIELD))
        from(end)
      }
    }
    from(0)
    shown.toString
  }

  /** The index after the literal, quoted name or comment that may begin at `start`. */
  private def partEnd(sql: String, start: Int): Int =
    if (sql.startsWith("--", start)) after(sql, "\n", start)
    else if (sql.startsWith("/*", start)) commentEnd(sql, start)
    else if (sql(start) == '`') after(sql, "`", start + 1)
    else if (sql(start) == '-' || sql(start) == '/') start + 1
    else literalEnd(sql, start)

  /** The index after a comment, in which others may be nested. */
  private def commentEnd(sql: String, start: Int): Int = {
    @tailrec def end(at: Int, depth: Int): Int =
      if (at >= sql.length) sql.length
      else if (sql.startsWith("/*", at)) end(at + 2, depth + 1)
      else if (!sql.startsWith("*/", at)) end(at + 1, depth)
      else if (depth == 1) at + 2
      else end(at + 2, depth - 1)
    end(start, 0)
  }

  private def after(sql: String, text: String, from: Int): Int = {
    val at = sql.indexOf(text, from)
    if (at < 0) sql.length else at + text.length
  }

  private def fields(text: String, named: Regex = FIELD): String =
    Seq(BEARER, named).foldLeft(text) { (shown, pattern) =>
      replace(pattern, shown, m => m.group(1) + REDACTED)
    }

  private def withoutLiterals(sql: String): String = {
    val shown = new StringBuilder
    val done = literals(sql).foldLeft(0) { case (done, (start, end)) =>
      shown ++= sql.substring(done, start) ++= s"${sql(start)}$REDACTED${sql(start)}"
      end
    }
    (shown ++= sql.substring(done)).toString
  }

  /**
   * The start (inclusive) and end (exclusive) of each literal that is a secret, and not a reference
   * to one such as `'${env:X}'`. The end is found without a regex, whose stack would grow with the
   * length of the literal.
   */
  private def literals(sql: String): Seq[(Int, Int)] =
    namedLiterals(sql).filterNot { case (start, end) =>
      REFERENCE.matches(sql.substring(start + 1, math.max(start + 1, end - 1)))
    }

  private def namedLiterals(sql: String): Seq[(Int, Int)] =
    BEFORE_LITERAL.findAllMatchIn(sql).foldLeft(Vector.empty[(Int, Int)]) { (found, before) =>
      if (found.lastOption.exists(_._2 > before.start)) found
      else found :+ (before.end -> literalEnd(sql, before.end))
    }

  /** The index after the literal that begins at `start`. */
  private def literalEnd(sql: String, start: Int): Int = {
    val quote = sql(start)
    @tailrec def end(at: Int): Int =
      if (at >= sql.length) sql.length
      else if (sql(at) == '\\') end(at + 2)
      else if (sql(at) != quote) end(at + 1)
      else if (sql.startsWith(quote.toString, at + 1)) end(at + 2)
      else at + 1
    end(start + 1)
  }

  private def replace(pattern: Regex, text: String, by: Match => String): String =
    pattern.replaceAllIn(text, m => Regex.quoteReplacement(by(m)))
}

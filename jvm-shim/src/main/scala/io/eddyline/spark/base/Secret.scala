package io.eddyline.spark.base

import java.util.regex.Pattern.quote

import scala.util.matching.Regex

import org.apache.spark.sql.catalyst.parser.SqlBaseLexer._
import org.apache.spark.sql.internal.SQLConf

/**
 * A secret in a text, from the index `start` to the index before `end`.
 *
 * @param what what it is, in words for a sentence
 */
private[base] case class Secret(what: String, start: Int, end: Int)

/**
 * Finds secrets: values whose names say that they are secrets, the user info before the `@` of a
 * URL, private keys, and tokens of a known form.
 */
private[base] object Secret {

  /** The text that replaces a secret, the same as Spark's. */
  val REDACTED = "*********(redacted)"

  /** Matches what the name of a secret contains. */
  private val PARTS = Seq(
    "passw", "passphrase", "passcode", "pwd", "secret", "token", "credential", "jaas",
    "access[._-]?key", "account[._-]?key", "api[._-]?key", "encryption[._-]?key",
    "functions[._-]?key", "private[._-]?key", "shared[._-]?key", "subscription[._-]?key",
    "connection[._-]?string", "authorization").mkString("(?i:", "|", ")")

  /** Words that only count at the end of a name, because they are short. */
  private val WORDS = Seq("auth", "bearer", "pass", "pat", "sig", "signature")

  private val LAST_WORD =
    s"(?:(?<![A-Za-z])(?i:${WORDS.mkString("|")})|" +
      s"(?<=[a-z0-9])(?:${WORDS.map(_.capitalize).mkString("|")}))(?![\\w.-])"

  private val NAMED = s"$PARTS|$LAST_WORD".r

  /** The characters that end a value without quotes. */
  private val END = "\\s,;&'\"(){}"

  /** Looks ahead: not a redacted value, a reference, or a group or class of a regex. */
  private val NO_SECRET = s"(?!${quote(REDACTED)}|\\$$\\{|\\(|\\[[^\\]]*\\][+*{])"

  /** Looks ahead: a value with three letters or digits, and not a pattern such as `%` or `***`. */
  private def isValue(end: String) = s"$NO_SECRET(?=(?:[^$end\\p{L}\\p{N}]*+[\\p{L}\\p{N}]){3})"

  /** Matches a value in quotes, which may be escaped or doubled; a text may end in the value. */
  private val QUOTED = s"(\\\\?['\"]|''|\"\")${isValue("'\"")}(?s:(.+?))(?:(?<!\\\\)\\2|\\z)"

  private val UNQUOTED = s"${isValue(END)}((?:\\\\.|[^$END\\\\])++)"

  private val SCHEME = "(?:(?i:basic|bearer)\\s++)"

  /** Looks ahead for a digit or a length that words do not have. */
  private val IS_TOKEN = s"(?=[^$END]{0,100}\\d|[^$END]{20})"

  /**
   * Matches `password=x`, `"apiKey": "x"`, `password = \'x\'` and `Authorization: Bearer x`. A
   * value without quotes after a colon must look like a token, unlike that of `token: id of the
   * session`. No word is read twice, so the time is linear.
   */
  private val FIELD = (
    s"(?<![\\w.-])((?>[\\w.-]*?(?:$PARTS[\\w.-]*+|$LAST_WORD)))(?:\\\\?['\"`]|''|\"\")?(?:" +
      s"\\s*+(?:=>?|:)\\s*+$QUOTED|" +
      s"=$NO_SECRET\\[?+$SCHEME?+$UNQUOTED|" +
      s":\\s*+(?:$SCHEME|$IS_TOKEN)$UNQUOTED)").r

  /** Matches secrets that have no name; the first group is the secret. */
  private val FORMS = Seq(
    // not abfss://x@account
    "the user info of a URL" -> ("(?<![a-z0-9+.-])(?i)[a-z][a-z0-9+.-]{0,99}://" +
      "([^\\s/'\":@]*:[^\\s/'\"]*|(?<=https?://)[^\\s/'\"]+)@"),
    "the user info of a URL" -> "(?i)jdbc:oracle:\\w{1,9}:([^\\s/'\"@]{1,99}/[^\\s'\"@]{1,99})@",
    "a private key" -> "(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----(.*?)(?:-----END|\\z)",
    "a bearer token" -> s"\\b(?i)bearer\\s+$IS_TOKEN([\\w.~+/=-]{8,})",
    // of GitHub, GitLab, Slack, AWS, Databricks, Stripe and Google, and JSON web tokens
    "a token" -> ("(?<![\\w-])(gh[opsur]_\\w{20,}|github_pat_\\w{20,}|glpat-[\\w-]{20,}|" +
      "xox[a-z]-[\\w-]{10,}|A[KS]IA[0-9A-Z]{16}|dapi[0-9a-f]{32}|[rs]k_live_\\w{16,}|" +
      "AIza[\\w-]{35}|eyJ[\\w-]{8,}\\.[\\w.-]+)")).map { case (what, form) => what -> form.r }

  /** Whether the value of an option, a property or an argument is a secret by its name. */
  def isNamed(name: String): Boolean = NAMED.findFirstIn(name).isDefined

  /** Returns the secrets in an error, a path, a plan, or another text that is not SQL. */
  def inText(conf: SQLConf, text: String): Seq[Secret] =
    byConf(conf, text) ++ fields(text) ++ withoutName(text)

  /** Returns the secrets in SQL. They are in literals and comments, so SQL parses without them. */
  def inStatement(conf: SQLConf, sql: String): Seq[Secret] = {
    val tokens = SqlTokens.typed(sql)
    def isString(token: SqlToken) = token.kind == STRING_LITERAL ||
      token.kind == DOUBLEQUOTED_STRING && !conf.doubleQuotedIdentifiers
    val assigned = for {
      Assignment(name, literals) <- new Assignments(tokens.filterNot(_.isHidden), isString).all
      if isNamed(name)
      literal <- literals
      text = content(literal).text if !REFERENCE.matches(text) && text.nonEmpty
    } yield Secret(valueOf(name), content(literal).start, content(literal).start + text.length)
    byConf(conf, sql) ++ assigned ++ tokens.flatMap { whole =>
      lazy val token = within(whole)
      val found = whole.kind match {
        case STRING_LITERAL | DOUBLEQUOTED_STRING | SIMPLE_COMMENT | BRACKETED_COMMENT =>
          fields(token.text) ++ withoutName(token.text)
        case BACKQUOTED_IDENTIFIER => withoutName(token.text) // it may be a path
        case _ => Nil
      }
      found.map(at => at.copy(start = at.start + token.start, end = at.end + token.start))
    }
  }

  /** Matches a variable that Spark replaces when it parses a statement. */
  private val REFERENCE = "\\$\\{[^{}]+\\}".r

  /** Returns the text between the quotes of a literal, which may begin with R if it is raw. */
  private def content(literal: SqlToken): SqlToken = {
    val from = literal.text.indexOf(literal.text.last.toInt) + 1
    literal.copy(
      text = literal.text.substring(from, literal.text.length - 1), start = literal.start + from)
  }

  /** Returns the text of a literal, a name or a comment without what closes it. */
  private def within(token: SqlToken): SqlToken = token.kind match {
    case SIMPLE_COMMENT => token.copy(text = token.text.stripLineEnd)
    case BRACKETED_COMMENT => token.copy(text = token.text.stripSuffix("*/"))
    case _ => content(token)
  }

  private def valueOf(name: String): String = s"the value of $name"

  private def fields(text: String): Seq[Secret] = FIELD.findAllMatchIn(text).map { found =>
    val group = (3 to found.groupCount).find(found.group(_) != null).get
    Secret(valueOf(found.group(1)), found.start(group), found.end(group))
  }.toSeq

  private def withoutName(text: String): Seq[Secret] = FORMS.flatMap { case (what, form) =>
    form.findAllMatchIn(text).map(found => Secret(what, found.start(1), found.end(1)))
  }

  private def byConf(conf: SQLConf, text: String): Seq[Secret] =
    conf.stringRedactionPattern.toSeq.flatMap((pattern: Regex) =>
      pattern.findAllMatchIn(text).map(found =>
        Secret(s"what ${SQLConf.SQL_STRING_REDACTION_PATTERN.key} matches",
          found.start, found.end)))
}

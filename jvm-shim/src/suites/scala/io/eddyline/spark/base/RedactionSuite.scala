package io.eddyline.spark.base

import org.apache.spark.sql.internal.SQLConf
import org.scalatest.funsuite.AnyFunSuite

class RedactionSuite extends AnyFunSuite {
  private val GONE = "*********(redacted)"
  private val TOKEN = "eyJhbGciOiJIUzI1NiJ9.e30"
  private val conf = new SQLConf

  private def assertShown(typed: String, shown: String): Unit = {
    assert(Redaction.statement(conf, typed) == shown)
    assert(Redaction.statement(conf, shown) == shown)
  }

  test("a secret in a comment") {
    assertShown("SELECT 1 -- password=hush\n, 2", s"SELECT 1 -- password=$GONE\n, 2")
    assertShown("SELECT /* a /* token: hush1 */ b */ 1", s"SELECT /* a /* token: $GONE */ b */ 1")
    assertShown("SELECT 1 -- sig=hush", s"SELECT 1 -- sig=$GONE")
    assertShown("-- don't\nWHERE x = 'pwd=hush'", s"-- don't\nWHERE x = 'pwd=$GONE'")
    assertShown(s"/* Bearer $TOKEN", s"/* Bearer $GONE")
  }

  test("what is neither in a literal nor in a comment is a column") {
    for (sql <- Seq(
        "WHERE token=x AND a - b / c > 1 -- of the session", "WHERE `it's` = `password=x` + '1'",
        "SELECT 1 -- token: id of the session", "/* signature: computed upstream */ SELECT 1")) {
      assertShown(sql, sql)
    }
  }

  test("a token without a name") {
    for (value <- Seq(s"Bearer $TOKEN", "bearer abcdefgh1", s"x: Bearer $TOKEN, y")) {
      assert(Redaction.isSecret(conf, "x.auth", value), value)
    }
    for (value <- Seq("Bearer bond", "bearer of 12 shares", "a bearer", "Bearer ${env:TOKEN}")) {
      assert(!Redaction.isSecret(conf, "x.auth", value), value)
    }
  }

  test("a token in brackets") {
    for (value <- Seq(
        "{X-Vault-Token=[s.abc1]}", s"{Authorization=[Bearer $TOKEN]}", "password=[hush]")) {
      val shown = Redaction.text(conf, value)
      for (secret <- Seq("abc1", TOKEN, "hush")) assert(!shown.contains(secret), shown)
    }
  }

  test("a pattern is no secret") {
    for (sql <- Seq(
        "LIKE '%password=%'", "LIKE 'token=_%'", "RLIKE 'pwd=\\\\S+'", "RLIKE r'secret=[^&]*'",
        "replace(a, 'x', 'password=***')")) {
      assertShown(sql, sql)
    }
    assertShown("LIKE '%password=hush%'", s"LIKE '%password=$GONE'")
  }

  test("long texts take linear time") {
    for (part <- Seq("--", "/*", "/*x", "-/", "`", "bearer ", "password=%", "password=[")) {
      val text = part * 200000
      assert(Redaction.statement(conf, text) == text)
    }
    for (part <- Seq("password=%,", "password=[,", "token:x")) {
      Redaction.statement(conf, s"'${part * 200000}'")
      Redaction.statement(conf, s"/*${part * 200000}*/")
    }
    val pattern = s"'token=${"%_" * 200000}'"
    assert(Redaction.statement(conf, pattern) == pattern)
  }
}

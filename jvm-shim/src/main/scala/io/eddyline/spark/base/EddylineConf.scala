package io.eddyline.spark.base

import java.util.Locale
import java.util.concurrent.TimeUnit

import org.apache.spark.SparkConf
import org.apache.spark.sql.eddyline.StaticConf
import org.apache.spark.sql.internal.{SQLConf, StaticSQLConf}

/** Every configuration key of eddyline. Static keys are fixed when the session's JVM starts. */
object EddylineConf {

  private def conf(key: String, doc: String, since: String = "0.1.0") =
    SQLConf.buildConf(key).doc(doc).version(since)

  private def staticConf(key: String, doc: String, since: String = "0.1.0") =
    SQLConf.buildStaticConf(key).doc(doc).version(since)

  val ENABLED = conf("spark.eddyline.enabled",
    "Whether texts that Spark cannot parse are read for eddyline's clauses. Stored views that " +
      "contain a clause work either way.")
    .booleanConf.createWithDefault(true)

  val EXCLUDED_RULES = conf("spark.eddyline.rules.excluded",
    "Names of rules that are left out, separated by commas: of those that only save work, which " +
      "have a switch in SHOW EDDYLINE RULES. A query fails if it is another name.")
    .stringConf.toSequence.createWithDefault(Nil)

  val UI_ENABLED = staticConf("spark.eddyline.ui.enabled",
    "Whether the UI of a running application has the tab Eddyline.")
    .booleanConf.createWithDefault(true)

  val UI_RETAINED = staticConf("spark.eddyline.ui.retained",
    "How many refreshes of global tables, queries with clauses and runs of streaming queries the " +
      "tab Eddyline keeps, each.")
    .intConf.checkValue(_ > 0, "It must be positive.").createWithDefault(1000)

  val PREAGGREGATE = conf("spark.eddyline.cogroup.preaggregate",
    "Whether a batch COGROUP aggregates each branch separately where that is cheaper: with a " +
      "DISTINCT, or with an aggregate over objects such as `collect_list`.")
    .booleanConf.createWithDefault(true)

  val EMIT_KEY_STATE = conf("spark.eddyline.emit.keyState",
    "What EMIT ON CHANGE KEY keeps of the row last emitted for a key: the compared columns " +
      "(`ROW`), a 128-bit hash of them (`HASH`), or whichever is shorter by their types " +
      "(`AUTO`). It is part of a checkpoint: another value needs another checkpoint.")
    .stringConf.transform(_.toUpperCase(Locale.ROOT)).checkValues(Set("AUTO", "HASH", "ROW"))
    .createWithDefault("AUTO")

  val EMIT_PARTIAL_AGGREGATION = conf("spark.eddyline.emit.partialAggregation",
    "Whether a streaming aggregation with EMIT ON CHANGE or ON UPDATE aggregates rows before it " +
      "shuffles them: always (`ALWAYS`), never (`NEVER`), or if the micro-batch before shows " +
      "that one row is made of several (`AUTO`).")
    .stringConf.transform(_.toUpperCase(Locale.ROOT)).checkValues(Set("AUTO", "ALWAYS", "NEVER"))
    .createWithDefault("AUTO")

  val ASSUME_FORCE = conf("spark.eddyline.assume.force",
    "Whether a claim ASSUME PARTITIONED BY is used even if it costs more than it saves: with " +
      "fewer units than cores, with one unit much larger than the others, or where another " +
      "extension reads the files, so that their rows are shuffled late.")
    .booleanConf.createWithDefault(false)

  val ASSUME_STRICT = conf("spark.eddyline.assume.strict",
    "Whether a query fails if a claim ASSUME PARTITIONED BY in it saves no shuffle.")
    .booleanConf.createWithDefault(false)

  val ASSUME_STREAMS = conf("spark.eddyline.assume.streams.enabled",
    "Whether a stream of a topic may have a claim ASSUME PARTITIONED BY … USING HASH SPARK.")
    .booleanConf.createWithDefault(false)

  val ASSUME_MAX_KEYS = conf("spark.eddyline.assume.check.maxKeys",
    "How many keys the check of a claim ASSUME PARTITIONED BY may hold, at 40 bytes each on the " +
      "driver. If there are more, the claim is not proven and its rows are shuffled.")
    .intConf.checkValue(_ > 0, "It must be positive.").createWithDefault(20000000)

  val ASSUME_VERDICTS = conf("spark.eddyline.assume.verdictLocation",
    "Folder that keeps the verdicts on claims ASSUME PARTITIONED BY, with hashes of the keys, " +
      "after the driver has ended. Drivers may share it. Unset: each driver keeps its own in " +
      "memory.")
    .stringConf.createOptional

  val GLOBAL_TABLE_FALLBACK = conf("spark.eddyline.globalTable.fallback",
    "What happens to a batch join that cannot look up rows in a replica, such as a FULL join: it " +
      "runs as an ordinary join over the pinned version (`WARN`), or fails (`FAIL`).")
    .stringConf.transform(_.toUpperCase(Locale.ROOT)).checkValues(Set("FAIL", "WARN"))
    .createWithDefault("WARN")

  val GLOBAL_TABLE_FIXED_VERSION_PER_BATCH = conf("spark.eddyline.globalTable.pinBatch",
    "Whether a query in real-time mode joins one version of a global table in a whole " +
      "micro-batch, which may last minutes. By default its lookups follow new versions.")
    .booleanConf.createWithDefault(false)

  val GLOBAL_TABLE_COMPACT_RELATIONS = staticConf("spark.eddyline.globalTable.ownRelations",
    "Whether the rows of a replica are in a relation of eddyline's own, which takes less memory " +
      "than Spark's, takes changes without being built again, and can be followed in real-time " +
      "mode. Set it to false where Spark's joins cannot use it.")
    .booleanConf.createWithDefault(true)

  val GLOBAL_TABLE_ON_MISSING_VERSION = conf("spark.eddyline.globalTable.onMissingVersion",
    "What a replayed micro-batch does if the version of its first attempt is gone: fail " +
      "(`FAIL`), or join the current version (`LATEST`).")
    .stringConf.transform(_.toUpperCase(Locale.ROOT)).checkValues(Set("FAIL", "LATEST"))
    .createWithDefault("FAIL")

  val GLOBAL_TABLE_SNAPSHOT_LOCATION = staticConf("spark.eddyline.globalTable.snapshotLocation",
    "Folder of the snapshots of global tables. Unset: the folder `globaltable` in a folder next " +
      "to the warehouse, named like it with the suffix `-eddyline`.")
    .stringConf.createOptional

  val GLOBAL_TABLE_SNAPSHOT_PERMISSIONS =
    staticConf("spark.eddyline.globalTable.snapshotPermissions",
      "Permissions of snapshot folders, in octal digits; files get the same without the right to " +
        "execute. By default only the driver's user can read them.")
      .stringConf.checkValue(_.matches("[0-7]{3,4}"), "It must be three or four octal digits.")
      .createWithDefault("700")

  val GLOBAL_TABLE_KEEP_VERSIONS = staticConf("spark.eddyline.globalTable.keepVersions",
    "How many snapshots of a global table are kept, however old they are.")
    .intConf.checkValue(_ > 0, "It must be positive.").createWithDefault(5)

  val GLOBAL_TABLE_RETENTION = staticConf("spark.eddyline.globalTable.retention",
    "How long a snapshot of a global table is kept after a newer one has come. A stream that " +
      "stopped in the middle of a micro-batch replays it with the version it had.")
    .timeConf(TimeUnit.MILLISECONDS).createWithDefaultString("1h")

  val GLOBAL_TABLE_IDLE_TIMEOUT = staticConf("spark.eddyline.globalTable.idleTimeout",
    "How long a global table may be unused before its replicas are released and its source is no " +
      "longer probed. The next query resumes both.")
    .timeConf(TimeUnit.MILLISECONDS).createWithDefaultString("10m")

  val ARCHIVE = staticConf("spark.eddyline.archive.enabled",
    "Whether the JVM starts with the archive of classes that `eddyline warm` makes, if there is " +
      "one. `eddyline.configure`, `eddyline sql`, `demo` and `serve` read it before the JVM " +
      "starts.")
    .booleanConf.createWithDefault(true)

  val PYTHON = staticConf("spark.eddyline.python",
    "Path of the Python that runs the sidecar. Unset: `EDDYLINE_PYTHON`, then the Python whose " +
      "site-packages contain the jar, then Spark's own settings for Python, those of the driver " +
      "first, then `python3`.")
    .stringConf.createOptional

  val SIDECAR_TIMEOUT = staticConf("spark.eddyline.sidecar.timeout",
    "How long the sidecar may take for one statement before it is stopped and restarted. Its " +
      "start may take 30 seconds in any case.")
    .timeConf(TimeUnit.MILLISECONDS).checkValue(_ > 0, "It must be positive.")
    .createWithDefaultString("30s")

  val STOP_TIMEOUT = conf("spark.eddyline.streamingQuery.stopTimeout",
    "How long STOP, RESTART, DROP and the end of the server wait for the running micro-batch of " +
      "a streaming query before interrupting it; an interrupted micro-batch is replayed. The " +
      "query has the value of its START or CREATE, or of OPTIONS; a later SET does not change it.")
    .timeConf(TimeUnit.MILLISECONDS).createWithDefaultString("60s")

  val STREAMING_QUERY_LOCATION = staticConf("spark.eddyline.streamingQuery.location",
    "Folder of the definitions of persistent streaming queries. Unset: the folder " +
      "`streamingquery` in a folder next to the warehouse, named like it with the suffix " +
      "`-eddyline`.")
    .stringConf.createOptional

  val EXCLUSIVE_LOCATION = staticConf("spark.eddyline.streamingQuery.locationSharedByNone",
    "Whether no other application uses spark.eddyline.streamingQuery.location. On S3 and similar " +
      "object stores, where two applications might both become its owner, CREATE STREAMING QUERY " +
      "needs this.")
    .booleanConf.createWithDefault(false)

  val AUTO_START = staticConf("spark.eddyline.streamingQuery.autoStart",
    "Whether the application starts the persistent streaming queries that were running, as soon " +
      "as it has a session, or as soon as the application that runs them has ended.")
    .booleanConf.createWithDefault(false)

  val ADMIN_USERS = staticConf("spark.eddyline.admin.users",
    "Users who may start, stop, restart, replace and drop the streaming queries of others, " +
      "separated by commas. The user of the application always may.")
    .stringConf.toSequence.createWithDefault(Nil)

  val LEASE_DURATION = staticConf("spark.eddyline.streamingQuery.leaseDuration",
    "How long an application that runs persistent streaming queries may send no heartbeat before " +
      "another one may run them.")
    .timeConf(TimeUnit.MILLISECONDS).checkValue(_ >= 1000, "It must be at least one second.")
    .createWithDefaultString("15s")

  val MAX_RESTARTS = staticConf("spark.eddyline.streamingQuery.maxRestarts",
    "How many times in a row a persistent streaming query that fails is started again before it " +
      "has completed a micro-batch.")
    .intConf.checkValue(_ >= 0, "It must not be negative.").createWithDefault(5)

  /** Removed keys, each with a sentence that says what to do. */
  val REMOVED: Map[String, String] = Map(
    "spark.eddyline.assume.verdicts" -> s"Set ${ASSUME_VERDICTS.key}.",
    "spark.eddyline.globalTable.incremental.minRows" ->
      "Leave it out: a global table over files is read as a whole.")

  /** The folder with the snapshots of global tables. */
  def snapshotLocation(conf: SparkConf): String =
    folder(conf, GLOBAL_TABLE_SNAPSHOT_LOCATION.key, "globaltable")

  /** Returns the folder that a key gives; if unset, one of this name next to the warehouse. */
  def folder(conf: SparkConf, key: String, name: String): String =
    conf.getOption(key).getOrElse {
      val warehouse = conf.getOption(StaticSQLConf.WAREHOUSE_PATH.key)
        .getOrElse(StaticSQLConf.WAREHOUSE_PATH.defaultValueString)
      s"${warehouse.stripSuffix("/")}-eddyline/$name"
    }

  /** Registers the keys, which initializing this object does, so that `SET` knows them. */
  def initialize(): Unit = ()

  /** The timeout of the sidecar in ms; static, because all sessions of a JVM share the sidecar. */
  def sidecarTimeout(conf: SparkConf): Long = StaticConf.of(conf, SIDECAR_TIMEOUT)
}

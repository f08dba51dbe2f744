package io.eddyline.spark.assume

import org.apache.spark.internal.Logging
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{HashPartitioning, Partitioning}
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

import io.eddyline.spark.{EddylineConf, EddylineErrors}

/**
 * Checks before the first row whether equal keys lie in one file, by a scan of the keys alone. If
 * they do not, it shuffles by itself, into as many partitions as it has promised, so what Spark has
 * planned above stays right. A verdict on the same files is used again.
 *
 * Errors, at the clause: EDDYLINE_ASSUME.VIOLATED, if the claim says ON VIOLATION FAIL.
 *
 * @param keys over the columns of the scan
 * @param child the files as units, a [[UnitScanExec]] with what turns vectors into rows
 */
case class CheckUnitsExec(keys: Seq[Expression], enforcement: Enforcement, child: SparkPlan)
  extends UnaryExecNode with Logging {

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "keysChecked" -> SQLMetrics.createMetric(sparkContext, "number of keys checked"),
    "checkTime" -> SQLMetrics.createTimingMetric(sparkContext, "time of the check"),
    "fellBack" -> SQLMetrics.createMetric(sparkContext, "number of fallbacks to a shuffle"))

  override protected def doExecute(): RDD[InternalRow] = {
    val units = unitScan
    val found = if (units.numUnits < 2) Verdict.Holds(0) else verdict(units)
    setTagValue(ReportAssumptions.VERDICT, CheckUnitsExec.text(found))
    val rows = found match {
      case Verdict.Holds(_) => child.execute()
      case violated: Verdict.Violated if enforcement.fails => throw failure(units, violated)
      case misplaced: Verdict.Misplaced if enforcement.fails => throw failure(units, misplaced)
      case misplaced: Verdict.Misplaced =>
        shuffled(s"is false, so its rows are shuffled: ${CheckUnitsExec.text(misplaced)}")
      case violated: Verdict.Violated =>
        val places = Seq(violated.unit1, violated.unit2).map(units.fileIn).mkString(" and in ")
        shuffled(s"is false, so its rows are shuffled: ${violated.key} is in $places")
      case Verdict.TooManyKeys(limit) =>
        shuffled(s"has more than $limit keys to check, so its rows are shuffled; " +
          "see spark.eddyline.assume.check.maxKeys")
    }
    postMetrics()
    rows
  }

  /** Keeps a verdict that was found by other means, unless a file has changed. */
  def keep(found: Verdict): Unit = {
    val question = unitScan.question(enforcement.every)
    question.filter(_ => unitScan.isUnchanged).foreach(Verdicts.put(_, found))
  }

  private def shuffled(why: String): RDD[InternalRow] = {
    logWarning(s"The claim PARTITIONED BY (${ClaimText.keys(keys)})${unitScan.layout.sql} on " +
      s"${ClaimText.relation(unitScan.scan)} $why")
    longMetric("fellBack").set(1)
    ShuffleExchangeExec(HashPartitioning(keys, outputPartitioning.numPartitions), child).execute()
  }

  private def verdict(units: UnitScanExec): Verdict = {
    // a listing may be older than the files
    val question = units.question(enforcement.every).filter(_ => units.isUnchanged)
    question.flatMap(Verdicts.get).getOrElse {
      val started = System.nanoTime()
      val ofKeys = units.ofKeys
      val rows = CheckUnitsExec.rows(ofKeys).execute()
      val found = checkOf(units.layout, ofKeys.output).verdict(rows)
      longMetric("checkTime") += (System.nanoTime() - started) / 1000000
      longMetric("keysChecked") += CheckUnitsExec.keys(found)
      val provable = question.filter(_ => units.isUnchanged)
      if (!found.isInstanceOf[Verdict.TooManyKeys]) provable.foreach(Verdicts.put(_, found))
      found
    }
  }

  private def checkOf(layout: Layout, input: Seq[Attribute]): UnitCheck = layout.size match {
    case Some(size) if layout.hashed => new WitnessCheck(HashPartitioning(keys, size), input)
    case _ =>
      val limit = conf.getConf(EddylineConf.ASSUME_MAX_KEYS)
      new KeyCheck(keys, input, enforcement.every, limit)
  }

  private def failure(units: UnitScanExec, violated: Verdict.Violated): Throwable =
    EddylineErrors.analysis("EDDYLINE_ASSUME.VIOLATED",
      Map(
        "keys" -> ClaimText.keys(keys),
        "relation" -> ClaimText.relation(units.scan),
        "key" -> violated.key,
        "unit1" -> units.fileIn(violated.unit1),
        "unit2" -> units.fileIn(violated.unit2)),
      origin)

  private def failure(units: UnitScanExec, misplaced: Verdict.Misplaced): Throwable =
    EddylineErrors.analysis("EDDYLINE_ASSUME.WRONG_UNIT",
      Map(
        "keys" -> ClaimText.keys(keys),
        "layout" -> units.layout.sql,
        "relation" -> ClaimText.relation(units.scan),
        "key" -> misplaced.key,
        "file" -> units.fileIn(misplaced.unit),
        "unit" -> misplaced.expected.toString),
      origin)

  private def unitScan: UnitScanExec = child.collectFirst { case units: UnitScanExec => units }
    .getOrElse(throw new IllegalStateException(s"no units: ${child.nodeName}"))

  private def postMetrics(): Unit = SQLMetrics.postDriverMetricUpdates(
    sparkContext,
    sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY),
    metrics.values.toSeq)

  override def nodeName: String = "CheckAssumption"

  override def simpleString(maxFields: Int): String =
    s"$nodeName ${ClaimText.list(keys)} ${enforcement.sql}"

  override protected def withNewChildInternal(newChild: SparkPlan): CheckUnitsExec =
    copy(child = newChild)
}

private object CheckUnitsExec {

  def rows(plan: SparkPlan): SparkPlan =
    if (plan.supportsColumnar) ColumnarToRowExec(plan) else plan

  def text(verdict: Verdict): String = verdict match {
    case Verdict.Holds(_) => "holds"
    case Verdict.Violated(_, key, _, _) => s"false, $key is in two units"
    case Verdict.Misplaced(key, unit, expected) =>
      s"false, $key is in unit $unit and its hash gives $expected"
    case Verdict.TooManyKeys(limit) => s"not proven, more than $limit keys"
  }

  def keys(verdict: Verdict): Long = verdict match {
    case Verdict.Holds(keys) => keys
    case Verdict.Violated(keys, _, _, _) => keys
    case Verdict.TooManyKeys(limit) => limit
    case _: Verdict.Misplaced => 0
  }
}

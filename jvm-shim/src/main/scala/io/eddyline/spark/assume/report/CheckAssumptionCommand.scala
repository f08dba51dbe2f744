package io.eddyline.spark.assume.report

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, InputFileName}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.classic.{DataFrame, SparkSession}
import org.apache.spark.sql.eddyline.SessionInternals
import org.apache.spark.sql.execution.{FileSourceScanExec, FilterExec, SparkPlan}
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.functions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import io.eddyline.spark.assume.check.{ClaimVerifier, KeyLocation}
import io.eddyline.spark.assume.claim.{AssumePartitionedBy, DroppedClaims, Layout, Proof}
import io.eddyline.spark.assume.units.{ScanUnits, UnitScanExec}
import io.eddyline.spark.assume.verdict.Verdict
import io.eddyline.spark.base.{EddylineConf, EddylineErrors, RowsCommand}

/**
 * Runs CHECK ASSUMPTION ON relation PARTITIONED BY (keys): lists the keys that are in several
 * units, those in most units first, and returns no rows if the claim is true. The result is exact,
 * since it comes from a GROUP BY of keys and files. Its verdict is stored for later claims.
 *
 * Errors: those of the clause; at the statement EDDYLINE_ASSUME.NOT_CHECKABLE.
 */
case class CheckAssumptionCommand(claim: AssumePartitionedBy, limit: Int)
  extends RowsCommand with AdaptiveSparkPlanHelper {
  override protected def columns: StructType = CheckAssumptionCommand.SCHEMA

  override protected def rows(session: SparkSession): Seq[Row] = {
    val own = SessionInternals.copyOf(session)
    own.conf.set(EddylineConf.ASSUME_STRICT.key, false)
    own.conf.set(EddylineConf.ASSUME_FORCE.key, true)
    own.conf.set(SQLConf.ADAPTIVE_EXECUTION_ENABLED.key, false) // or the plan would hide the scan
    val alone = withoutInnerClaims(SessionInternals.frame(own, claim).queryExecution.analyzed)
    val keys = SessionInternals.frame(own, Project(keyColumns(alone.keys), alone))
    val plan = keys.queryExecution.sparkPlan // before another extension replaces the scan
    val units = unitScan(plan)
    if (units.proof == Proof.Structural) Nil
    else {
      val query = violations(alone, session)
      val found = query.collect().toSeq
      if (limit > 0 && hasRead(query, units)) {
        verdict(found, plan, units).foreach(ClaimVerifier.of(units).storeVerdict)
      }
      found
    }
  }

  /** Returns the claim without other claims in its relation, which a view may contain. */
  private def withoutInnerClaims(analyzed: LogicalPlan): AssumePartitionedBy = analyzed match {
    case claim: AssumePartitionedBy => claim.over(claim.child.transformUpWithSubqueries {
        case other: AssumePartitionedBy => other.child
      })
  }

  /** Returns the scan that the claim is about. */
  private def unitScan(plan: SparkPlan): UnitScanExec =
    plan.collectFirst { case units: UnitScanExec => units }.getOrElse(
      EddylineErrors.fail("EDDYLINE_ASSUME.NOT_CHECKABLE", origin,
        "reason" -> plan.flatMap(DroppedClaims.at).headOption.fold("it has no scan")(_.reason)))

  /**
   * Returns the verdict about the files that follows from the rows of the result. None if none
   * does: no rows mean that the claim is true only if the query has read all rows of the files.
   */
  private def verdict(found: Seq[Row], plan: SparkPlan, units: UnitScanExec): Option[Verdict] =
    found.headOption match {
      case Some(row) =>
        val key = row.getString(0)
        row.getSeq[String](3).flatMap(KeyLocation(key, _).file(units.files)) match {
          case file1 +: file2 +: _ => Some(Verdict.Violated(key, file1, file2))
          case _ => None
        }
      case None =>
        val readsAllRows = units.scan.dataFilters.isEmpty && !units.hasSubquery &&
          !plan.exists(_.isInstanceOf[FilterExec])
        Option.when(readsAllRows)(Verdict.Holds)
    }

  /** Whether the query has read the listed files of the units; files may have been added since. */
  private def hasRead(query: DataFrame, units: UnitScanExec): Boolean =
    collect(query.queryExecution.executedPlan) { case scan: FileSourceScanExec => scan } match {
      case Seq(scan) =>
        scan.requiredSchema == units.scan.requiredSchema &&
        ScanUnits.of(scan, Nil, Layout.Unnumbered).files == units.files
      case _ => false
    }

  private def keyColumns(keys: Seq[Expression]): Seq[Alias] =
    keys.zipWithIndex.map { case (key, i) => Alias(key, s"key_$i")() }

  private def violations(claim: AssumePartitionedBy, session: SparkSession): DataFrame = {
    val columns = keyColumns(claim.keys)
    val names = columns.map(_.name)
    // in one projection: a cached projection of the keys alone would lose the files
    val places = columns :+ Alias(InputFileName(), "unit")()
    SessionInternals.frame(session, Project(places, claim.child))
      .groupBy((names :+ "unit").map(col): _*).agg(count("*").as("n"))
      .groupBy(names.map(col): _*)
      .agg(
        count("*").cast(IntegerType).as("n_units"),
        sum("n").as("n_rows"),
        sort_array(collect_list(col("unit"))).as("units"))
      .where("n_units > 1")
      .select(
        concat(lit("("), array_join(array(names.map(col(_).cast(StringType)): _*), ", ", "NULL"),
          lit(")")).as("key"),
        col("n_units"), col("n_rows"), col("units"))
      .orderBy(desc("n_units"), desc("n_rows"), asc("key"))
      .limit(limit)
  }
}

object CheckAssumptionCommand {

  /** How many keys are listed if the statement does not say. */
  val LIMIT = 10

  val SCHEMA: StructType = StructType.fromDDL("key STRING NOT NULL, n_units INT NOT NULL, " +
    "n_rows BIGINT NOT NULL, units ARRAY<STRING> NOT NULL")
}

package io.eddyline.spark.rules

import scala.reflect.ClassTag

import org.apache.spark.sql.{classic, SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan, SparkStrategy}

import io.eddyline.spark.base.EddylineConf

/**
 * A phase in which Spark applies rules of extensions.
 *
 * @param name its name in SHOW EDDYLINE RULES
 */
private[rules] class Phase[R](name: String)(
    inject: (SparkSessionExtensions, SparkSession => R) => Unit) {

  /** Returns a rule of this phase that a clause needs. */
  def apply[T <: R: ClassTag](build: classic.SparkSession => T)(description: String): InjectedRule =
    InjectedRule(name, Phase.nameOf[T], description, isOptional = false)(injected(build))

  protected def injected(build: classic.SparkSession => R): SparkSessionExtensions => Unit =
    inject(_, { case session: classic.SparkSession => build(session) })
}

/**
 * A phase that also has optional rules.
 *
 * @param asOptional returns a rule that does nothing where the conf excludes its name
 */
private[rules] class SwitchablePhase[R](name: String)(
    inject: (SparkSessionExtensions, SparkSession => R) => Unit)(
    asOptional: (String, R) => R)
  extends Phase[R](name)(inject) {

  /** Returns a rule of this phase that only saves work. */
  def optional[T <: R: ClassTag](build: classic.SparkSession => T)(
      description: String): InjectedRule = {
    val rule = Phase.nameOf[T]
    InjectedRule(name, rule, description, isOptional = true)(
      injected(session => asOptional(rule, build(session))))
  }
}

/** The phases in Spark's order. */
private[rules] object Phase {
  val hints = new Phase[Rule[LogicalPlan]]("hints")(_.injectHintResolutionRule(_))

  val resolution = new Phase[Rule[LogicalPlan]]("resolution")(_.injectResolutionRule(_))

  val postHoc = new Phase[Rule[LogicalPlan]]("post-hoc")(_.injectPostHocResolutionRule(_))

  val checks = new Phase[LogicalPlan => Unit]("check")(_.injectCheckRule(_))

  val normalization =
    new Phase[Rule[LogicalPlan]]("normalization")(_.injectPlanNormalizationRule(_))

  val optimizer = new SwitchablePhase[Rule[LogicalPlan]]("optimizer")(_.injectOptimizerRule(_))(
    new OptionalRule(_, _))

  val beforeCbo = new SwitchablePhase[Rule[LogicalPlan]]("before CBO")(_.injectPreCBORule(_))(
    new OptionalRule(_, _))

  val strategy = new Phase[SparkStrategy]("strategy")(_.injectPlannerStrategy(_))

  val queryStages = new Phase[Rule[SparkPlan]]("query stages")(_.injectQueryStagePrepRule(_))

  val columnar = new SwitchablePhase[ColumnarRule]("columnar")(_.injectColumnar(_))(
    OptionalRule.beforeTransitions)

  /** The name of a class without packages; `Outer.Inner` if it is in an object. */
  private[rules] def nameOf[T](implicit tag: ClassTag[T]): String = {
    val name = tag.runtimeClass.getName
    name.drop(name.lastIndexOf('.') + 1).stripSuffix("$").replace('$', '.')
  }
}

/**
 * A rule, check, strategy or columnar rule as SHOW EDDYLINE RULES describes it.
 *
 * @param name the name of its class without packages; of an object in another, as `Outer.Inner`
 * @param isOptional whether it only saves work, so that a query has the same rows without it
 */
case class InjectedRule(phase: String, name: String, description: String, isOptional: Boolean)(
    val inject: SparkSessionExtensions => Unit)

/** A rule that does nothing where `spark.eddyline.rules.excluded` has its name. */
private[rules] class OptionalRule[P <: TreeNode[_]](name: String, rule: Rule[P]) extends Rule[P] {

  /** The name of the rule itself, for `spark.sql.optimizer.excludedRules` and Spark's logs. */
  override val ruleName: String = rule.ruleName

  override def apply(plan: P): P =
    if (conf.getConf(EddylineConf.EXCLUDED_RULES).contains(name)) plan else rule(plan)
}

private[rules] object OptionalRule {

  /** Returns an optional columnar rule for one that does nothing after transitions. */
  def beforeTransitions(name: String, rule: ColumnarRule): ColumnarRule = new ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] =
      new OptionalRule(name, rule.preColumnarTransitions)
  }
}

package io.eddyline.spark

/**
 * The rules that eddyline injects into Spark:
 *
 *   - [[rules.EddylineRules]] is the list of all rules by [[rules.Phase]], each an
 *     [[rules.InjectedRule]];
 *   - an [[rules.OptionalRule]] wraps those that `spark.eddyline.rules.excluded` may leave out, and
 *     [[rules.CheckExcludedRules]] (normalization) refuses any other name there;
 *   - [[rules.CheckRemovedConfs]] (normalization) warns where a conf is set that is gone;
 *   - [[rules.CheckRealTimeStreams]] (hints) and [[rules.CheckRealTimePlan]] (columnar) check
 *     queries in real-time mode;
 *   - [[rules.RulesPlaceholder]] reads what the lowering wrote and returns
 *     [[rules.ShowRulesCommand]].
 */
package object rules

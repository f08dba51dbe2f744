package io.eddyline.spark

/**
 * The rules that eddyline injects into Spark, seen from outside: what they are, how often each was
 * applied, what it changed, and whether it is excluded.
 *
 *   - [[rules.EddylineRules]] is the list of all rules, each an [[rules.InjectedRule]], from which
 *     they are injected;
 *   - each is injected inside a wrapper ([[rules.CatalystRule]], [[rules.PhysicalRule]],
 *     [[rules.CheckRule]], [[rules.StrategyRule]]), which leaves it out if it is excluded, and
 *     tells the [[rules.RuleLog]] of its session what it did;
 *   - [[rules.CheckExcludedRules]] (normalization) refuses names that cannot be excluded;
 *   - [[rules.CheckRealTimeStreams]] (hints) and [[rules.CheckRealTimePlan]] (columnar) check
 *     queries in real-time mode;
 *   - [[rules.RulesPlaceholder]] reads what the lowering wrote and returns
 *     [[rules.ShowRulesCommand]] or [[rules.ExplainRulesCommand]]. The latter plans a query in a
 *     copy of the session and returns each [[rules.PlanStep]].
 */
package object rules

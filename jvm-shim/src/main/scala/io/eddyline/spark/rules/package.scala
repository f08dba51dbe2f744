package io.eddyline.spark

/**
 * The rules that eddyline injects into Spark: [[rules.EddylineRules]] lists them by
 * [[rules.Phase]], and SHOW EDDYLINE RULES shows them ([[rules.ShowRulesCommand]]). Here are also
 * those that belong to no clause, which check confs and queries in real-time mode.
 */
package object rules

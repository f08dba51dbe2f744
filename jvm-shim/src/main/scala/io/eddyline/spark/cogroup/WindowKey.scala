package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction

/**
 * A time window as a key. It is evaluated above the union, so that sessions merge across branches.
 * It is no `Expression`, because Spark would resolve one in a node's fields against the wrong
 * columns.
 *
 * @param call the call as written in the first branch; its first argument, the time, differs by
 *             branch
 */
case class WindowKey(call: UnresolvedFunction)

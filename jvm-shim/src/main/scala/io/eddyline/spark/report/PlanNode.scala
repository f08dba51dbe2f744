package io.eddyline.spark.report

import io.eddyline.spark.base.Json

/**
 * An operator as a picture of its plan shows it, or an Exchange that a clause has saved. The fields
 * are those of `PlanNode` in Python.
 *
 * @param id its number in the plan, from 0
 * @param parent the number of the operator that reads its rows; None for the root
 * @param kind OPERATOR, EXCHANGE, REUSED, SAVED, REPLICA or STATE
 * @param text its arguments, as EXPLAIN shows them
 * @param note what the report says of it, besides the kind
 * @param rows number of rows that it passed on; None before the run, or if nothing counts them
 * @param bytes size of these rows
 * @param heldRows number of rows in the replica or the state
 * @param heldBytes memory of the replica or the state
 */
private[spark] case class PlanNode(
    id: Int,
    parent: Option[Int],
    kind: String,
    name: String,
    text: String,
    note: Option[String] = None,
    rows: Option[Long] = None,
    bytes: Option[Long] = None,
    heldRows: Option[Long] = None,
    heldBytes: Option[Long] = None)

private[spark] object PlanNode {

  /** Returns the nodes as a JSON array of objects. */
  def json(nodes: Seq[PlanNode]): String = Json.mapper.writeValueAsString(nodes)
}

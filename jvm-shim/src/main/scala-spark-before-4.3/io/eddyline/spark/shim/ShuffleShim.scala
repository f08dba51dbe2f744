package io.eddyline.spark.shim

import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec

private[spark] object ShuffleShim {

  /** Whether the stage above the Exchange reads its rows before the stage below has ended. */
  def isPipelined(exchange: ShuffleExchangeExec): Boolean = false
}

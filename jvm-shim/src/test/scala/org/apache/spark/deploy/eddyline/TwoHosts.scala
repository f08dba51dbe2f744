package org.apache.spark.deploy.eddyline

import org.apache.spark.SparkConf
import org.apache.spark.deploy.master.Master
import org.apache.spark.deploy.worker.Worker

/**
 * A standalone cluster with its daemons in this JVM. Its two workers claim to be on two hosts,
 * because Spark starts no speculative copy on the host of the first attempt; the workers of
 * `local-cluster` are on one.
 */
object TwoHosts {

  /** Starts the cluster with `folder` as its working directory; returns the URL of its master. */
  def start(folder: String): String = {
    val conf = new SparkConf().set("spark.master.rest.enabled", "false")
    val (master, _, _) = Master.startRpcEnvAndEndpoint("127.0.0.1", 0, 0, conf)
    val url = s"spark://127.0.0.1:${master.address.port}"
    for (worker <- 1 to 2) {
      Worker.startRpcEnvAndEndpoint(
        s"127.0.0.${worker + 1}", 0, 0, 1, 1024, Array(url), folder, Some(worker), conf)
    }
    url
  }
}

package org.apache.spark.status.api.v1.eddyline

import jakarta.ws.rs.{Path, PathParam}

/**
 * Adds eddyline's endpoints to Spark's REST API, which finds them by their package. What needs the
 * inside of Spark is loaded with the first request: it must not keep the API from its start.
 */
@Path("/v1")
private[v1] class EddylineRootResource {

  @Path("applications/{appId}/eddyline")
  def ofApplication(@PathParam("appId") appId: String): Class[_] = classOf[EddylineResource]

  @Path("applications/{appId}/{attemptId}/eddyline")
  def ofAttempt(
      @PathParam("appId") appId: String,
      @PathParam("attemptId") attemptId: String): Class[_] = classOf[EddylineResource]
}

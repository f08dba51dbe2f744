package org.apache.spark.status.api.v1.eddyline

import jakarta.ws.rs.{Path, PathParam}
import org.apache.spark.status.api.v1.ApiRequestContext

/** Adds eddyline's endpoints to Spark's REST API, which finds them by their package. */
@Path("/v1")
private[v1] class EddylineRootResource extends ApiRequestContext {

  @Path("applications/{appId}/eddyline")
  def ofApplication(@PathParam("appId") appId: String): Class[EddylineResource] =
    classOf[EddylineResource]

  @Path("applications/{appId}/{attemptId}/eddyline")
  def ofAttempt(
      @PathParam("appId") appId: String,
      @PathParam("attemptId") attemptId: String): Class[EddylineResource] =
    classOf[EddylineResource]
}

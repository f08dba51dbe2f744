package org.apache.spark.status.api.v1.eddyline

import jakarta.ws.rs.{GET, Path, Produces}
import jakarta.ws.rs.core.MediaType
import org.apache.spark.status.api.v1.BaseAppResource

import io.eddyline.spark.ui._

/** What the tab "Eddyline" shows, as JSON. */
@Produces(Array(MediaType.APPLICATION_JSON))
private[v1] class EddylineResource extends BaseAppResource {

  @GET
  @Path("globaltables")
  def globalTables(): Seq[GlobalTableEntity] = read(_.globalTables)

  @GET
  @Path("refreshes")
  def refreshes(): Seq[GlobalTableRefreshed] = read(_.refreshes)

  @GET
  @Path("queries")
  def queries(): Seq[ClausesEntity] = read(_.queries)

  @GET
  @Path("streams")
  def streams(): Seq[StreamEntity] = read(_.streams)

  private def read[T](what: StatusStore => T): T =
    withUI(ui => what(new StatusStore(ui.store.store)))
}

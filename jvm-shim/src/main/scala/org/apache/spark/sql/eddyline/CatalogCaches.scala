package org.apache.spark.sql.eddyline

import scala.util.Try

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.FunctionRegistryBase
import org.apache.spark.sql.catalyst.catalog.UserDefinedFunction
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.CatalogManager.SESSION_CATALOG_NAME

/** What a session caches of its catalog, although other sessions may change the catalog. */
object CatalogCaches {

  /**
   * Drops the cached tables with their lists of files, and the permanent functions that the session
   * has used. Functions are kept whose class is still the same: Spark would add their JARs again,
   * but not load the class from them.
   */
  def drop(session: SparkSession): Unit = {
    val state = session.sessionState
    state.catalog.invalidateAllCachedTables()
    for {
      registry <- Seq[FunctionRegistryBase[_]](state.functionRegistry, state.tableFunctionRegistry)
      (name, className) <- permanentFunctions(registry)
      if UserDefinedFunction.isUserDefinedFunction(className) ||
        !Try(state.catalog.getFunctionMetadata(name)).toOption.exists(_.className == className)
    } registry.dropFunction(name)
  }

  /**
   * Returns the class of each permanent function that a session has used. The names may have the
   * session catalog or not, since Spark 4.1 and 4.2 leave it out.
   */
  def functionClasses(registry: FunctionRegistryBase[_]): String => Option[String] = {
    def bare(name: String) = name.stripPrefix(s"$SESSION_CATALOG_NAME.")
    val found = permanentFunctions(registry)
      .map { case (name, className) => bare(name.unquotedString) -> className }.toMap
    name => found.get(bare(name))
  }

  /** Returns the permanent functions that a session has used, with their classes. */
  private def permanentFunctions(
      registry: FunctionRegistryBase[_]): Seq[(FunctionIdentifier, String)] =
    for {
      name <- registry.listFunction()
      if name.database.isDefined && name.catalog.forall(_ == SESSION_CATALOG_NAME)
      function <- registry.lookupFunction(name)
    } yield name -> function.getClassName
}

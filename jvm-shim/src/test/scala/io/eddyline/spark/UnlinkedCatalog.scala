package io.eddyline.spark

import org.apache.spark.sql.connector.catalog.DelegatingCatalogExtension

/** A catalog of which a class is missing, as if its jar is one for another Spark. */
class UnlinkedCatalog extends DelegatingCatalogExtension {
  throw new NoClassDefFoundError("org/elsewhere/Missing")
}

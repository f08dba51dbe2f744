package io.eddyline.spark.base

/** A physical or columnar rule that eddyline injects, unlike those of other extensions. */
trait OwnRule

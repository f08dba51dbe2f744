package io.eddyline.spark.shim

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** The methods of a parser that Spark has had since 4.3: none before. */
private[spark] trait ParserShim extends ParserInterface

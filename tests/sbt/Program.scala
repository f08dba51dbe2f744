import io.eddyline.spark.EddylineExtensions
import org.apache.spark.sql.SparkSession

/** A program that is compiled against the artifact, and prints the row of a clause. */
object Program {
  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession.builder().withExtensions(new EddylineExtensions).getOrCreate()
    val clause = "COGROUP range(2) AS a BY id, range(3) AS b BY id AGGREGATE count(b.*) AS b"
    println(spark.sql(clause).agg("b" -> "sum").head())
  }
}

package io.eddyline.spark

import java.util
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.catalog.TableCapability._
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * A catalog in this JVM's memory whose tables keep the rows of every version, like those of a lake
 * format. Each write makes a version; MERGE, UPDATE and DELETE replace all rows.
 */
class VersionedCatalog extends TableCatalog with SpellingFunctions {
  import VersionedCatalog._

  private var given = ""

  override def name: String = given

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = given = name

  override def listTables(namespace: Array[String]): Array[Identifier] =
    stores.keySet.asScala.filter(_.namespace.sameElements(namespace)).toArray

  override def loadTable(identifier: Identifier): Table = {
    val store = find(identifier)
    val newest = store.versions.size - 1
    require(!store.lost(newest), s"$identifier has lost its newest version")
    new VersionedTable(identifier, store, newest)
  }

  override def loadTable(identifier: Identifier, version: String): Table = {
    if (isFragile) isDown = true
    val store = find(identifier)
    require(
      store.versions.isDefinedAt(version.toInt) && !store.lost(version.toInt),
      s"$identifier has no version $version")
    new VersionedTable(identifier, store, version.toInt)
  }

  override def createTable(identifier: Identifier, info: TableInfo): Table = {
    stores.put(identifier, new Store(info))
    loadTable(identifier)
  }

  override def alterTable(identifier: Identifier, changes: TableChange*): Table = {
    val store = find(identifier)
    changes.foreach {
      case set: TableChange.SetProperty => store.properties += set.property -> set.value
      case gone: TableChange.RemoveProperty => store.properties -= gone.property
    }
    loadTable(identifier)
  }

  /** Fails for tables of a namespace that is called so. */
  override def invalidateTable(identifier: Identifier): Unit =
    require(!identifier.namespace.contains("unrefreshed"), s"$identifier is not refreshed")

  override def dropTable(identifier: Identifier): Boolean = stores.remove(identifier) != null

  override def renameTable(from: Identifier, to: Identifier): Unit =
    throw new UnsupportedOperationException

  private def find(identifier: Identifier): Store = {
    if (isDown) throw new IllegalStateException("the catalog is down")
    Option(stores.get(identifier)).getOrElse(throw new NoSuchTableException(identifier))
  }
}

object VersionedCatalog {
  private val stores = new ConcurrentHashMap[Identifier, Store]
  private val scans = new AtomicInteger

  @volatile private var isFragile = false
  @volatile private var isDown = false

  /** Lets the catalog fail from the next request for a version on. */
  def breakDown(): Unit = isFragile = true

  def mend(): Unit = {
    isFragile = false
    isDown = false
  }

  /** Removes a version, as the expiry of old versions does. */
  def loseVersion(namespace: String, table: String, version: Int): Unit =
    stores.get(Identifier.of(Array(namespace), table)).lost += version

  /** The number of scans of tables, at any version. */
  def reads: Int = scans.get

  class Store(val info: TableInfo) {
    @volatile var properties: Map[String, String] = info.properties.asScala.toMap
    val id: String = UUID.randomUUID.toString
    @volatile var versions: Vector[Seq[InternalRow]] = Vector(Nil)
    @volatile var lost = Set.empty[Int]

    def commit(rows: Seq[InternalRow]): Unit = synchronized(versions :+= rows)
  }

  class VersionedTable(identifier: Identifier, store: Store, number: Int)
    extends SupportsRead with SupportsWrite with SupportsRowLevelOperations with TruncatableTable {
    override def name: String = identifier.toString
    override def id: String = store.id
    override def version: String = number.toString
    override def columns: Array[Column] = store.info.columns
    override def properties: util.Map[String, String] = store.properties.asJava
    override def capabilities: util.Set[TableCapability] =
      util.Set.of(BATCH_READ, BATCH_WRITE, TRUNCATE)

    override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
      () => new VersionedScan(store.info.schema, name, identifier, number)

    override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
      new VersionedWrite(store, append = true)

    override def truncateTable(): Boolean = {
      store.commit(Nil)
      true
    }

    override def newRowLevelOperationBuilder(
        info: RowLevelOperationInfo): RowLevelOperationBuilder = () =>
      new RowLevelOperation {
        override def command: RowLevelOperation.Command = info.command
        override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
          VersionedTable.this.newScanBuilder(options)
        override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder =
          new VersionedWrite(store, append = false)
      }
  }

  private class VersionedScan(
      schema: StructType, table: String, identifier: Identifier, version: Int)
    extends Scan with Batch {
    override def readSchema: StructType = schema
    override def description: String = s"$table@$version"
    override def toBatch: Batch = this
    override def planInputPartitions: Array[InputPartition] = {
      scans.incrementAndGet()
      Array(Part(identifier.namespace.toSeq, identifier.name, version))
    }
    override def createReaderFactory: PartitionReaderFactory = Reader
  }

  private case class Part(namespace: Seq[String], name: String, version: Int) extends InputPartition

  private object Reader extends PartitionReaderFactory {
    override def createReader(partition: InputPartition): PartitionReader[InternalRow] = {
      val Part(namespace, name, version) = partition
      val rows = stores.get(Identifier.of(namespace.toArray, name)).versions(version).iterator
      new PartitionReader[InternalRow] {
        override def next(): Boolean = rows.hasNext
        override def get(): InternalRow = rows.next()
        override def close(): Unit = ()
      }
    }
  }

  private class VersionedWrite(store: Store, append: Boolean)
    extends SupportsTruncate with Write with BatchWrite {
    override def truncate(): WriteBuilder = new VersionedWrite(store, append = false)
    override def build(): Write = this
    override def toBatch: BatchWrite = this
    override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory =
      new Writer(store.info.schema)
    override def abort(messages: Array[WriterCommitMessage]): Unit = ()
    override def commit(messages: Array[WriterCommitMessage]): Unit = {
      val written = messages.toSeq.flatMap { case Written(rows) => rows }
      store.commit(if (append) store.versions.last ++ written else written)
    }
  }

  private case class Written(rows: Seq[InternalRow]) extends WriterCommitMessage

  private class Writer(schema: StructType) extends DataWriterFactory {
    override def createWriter(partition: Int, task: Long): DataWriter[InternalRow] =
      new DataWriter[InternalRow] {
        private val rows = Seq.newBuilder[InternalRow]
        override def write(row: InternalRow): Unit = rows += columns(row.copy())
        override def commit(): WriterCommitMessage = Written(rows.result())
        override def abort(): Unit = ()
        override def close(): Unit = ()
      }

    /** Leaves out the kind of the operation, which Spark 4.1 puts before the columns of a MERGE. */
    private def columns(row: InternalRow): InternalRow =
      if (row.numFields == schema.size) row
      else InternalRow.fromSeq(row.toSeq(IntegerType +: schema.map(_.dataType)).tail)
  }
}

package io.eddyline.spark.assume.verdict

import java.io._
import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.{CheckedInputStream, CheckedOutputStream, CRC32}

import io.eddyline.spark.assume.units.FileVersion

/**
 * Reads and writes a [[CheckResult]] as bytes. All numbers are big-endian; a text is its length in
 * bytes and its UTF-8 bytes. The parts in their order:
 *
 *   - the magic number and the version;
 *   - the digest of the fingerprint;
 *   - the number of files, and the path, length in bytes and modification time in ms of each;
 *   - the verdict: 0 if the claim holds; 1 if it is violated, with the key and the numbers of two
 *     files; 2 if a row is misplaced, with the key, the number of its file, its unit and the
 *     expected unit;
 *   - for each file the number of key hashes (-1 if they are unknown) and the hashes;
 *   - the CRC32 of all bytes before.
 */
private[assume] object VerdictFile {
  private val MAGIC = 0x4544444c // EDDL
  private val VERSION = 3

  def write(fingerprint: ClaimFingerprint, result: CheckResult, to: OutputStream): Unit = {
    val checked = new CheckedOutputStream(to, new CRC32)
    val out = new DataOutputStream(new BufferedOutputStream(checked))
    def writeText(text: String): Unit = {
      val bytes = text.getBytes(UTF_8)
      out.writeInt(bytes.length)
      out.write(bytes)
    }
    val files = result.files.toSeq
    out.writeInt(MAGIC)
    out.writeInt(VERSION)
    writeText(fingerprint.digest)
    out.writeInt(files.size)
    files.foreach { file =>
      writeText(file.path)
      out.writeLong(file.length)
      out.writeLong(file.modified)
    }
    result.verdict match {
      case Verdict.Violated(key, file1, file2) =>
        out.writeByte(1)
        writeText(key)
        out.writeInt(files.indexOf(file1))
        out.writeInt(files.indexOf(file2))
      case Verdict.Misplaced(key, file, unit, expected) =>
        out.writeByte(2)
        writeText(key)
        out.writeInt(files.indexOf(file))
        out.writeInt(unit)
        out.writeInt(expected)
      case _ => out.writeByte(0)
    }
    files.map(result.hashes.get).foreach { hashes =>
      out.writeInt(hashes.fold(-1)(_.length))
      hashes.foreach(_.foreach(out.writeLong))
    }
    out.flush()
    out.writeLong(checked.getChecksum.getValue)
    out.flush()
  }

  /**
   * Reads a result. Raises an IllegalArgumentException or an IOException if the file is incomplete,
   * has another version or is about another claim.
   *
   * @param length the length of the file in bytes, which limits every count that is read from it
   */
  def read(fingerprint: ClaimFingerprint, length: Long, from: InputStream): CheckResult = {
    val checked = new CheckedInputStream(new BufferedInputStream(from), new CRC32)
    val in = new DataInputStream(checked)

    /** Reads the number of items that have at least `size` bytes each, -1 if it is unknown. */
    def count(size: Int): Int = {
      val found = in.readInt()
      require(found >= -1 && found.toLong * size <= length, s"it is too short for $found items")
      found
    }
    def readText(): String = new String(in.readNBytes(count(1)), UTF_8)
    require(in.readInt() == MAGIC, "it is no verdict of eddyline")
    val version = in.readInt()
    require(version == VERSION, s"it has version $version, not $VERSION")
    require(readText() == fingerprint.digest, "it is about another claim")
    val files = Seq.fill(count(20))(FileVersion(readText(), in.readLong(), in.readLong()))
    val verdict = in.readByte() match {
      case 0 => Verdict.Holds
      case 1 => Verdict.Violated(readText(), files(in.readInt()), files(in.readInt()))
      case 2 => Verdict.Misplaced(readText(), files(in.readInt()), in.readInt(), in.readInt())
    }
    val hashes = files.flatMap { file =>
      val number = count(8)
      if (number < 0) None else Some(file -> Array.fill(number)(in.readLong()))
    }
    val sum = checked.getChecksum.getValue
    require(in.readLong() == sum, "its checksum is wrong")
    CheckResult(files.toSet, verdict, hashes.toMap)
  }
}

package io.eddyline.spark

import java.net.URI

/** Local files by the scheme of S3. */
class PlainObjectStore extends PlainRawFileSystem {
  override def getUri: URI = URI.create("s3a:///")
}

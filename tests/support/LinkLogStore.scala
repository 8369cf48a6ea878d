package dbt_mview.tests

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths, StandardCopyOption}
import java.util.{Iterator, UUID}

import io.delta.storage.HadoopFileSystemLogStore
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** Delta's commits on a local disk that several JVMs write to. Delta's own store looks whether the
  * file is there and then renames, which is one step within a JVM only; a link is one everywhere.
  *
  * A commit waits while there is a file of its table's name in the directory that the setting
  * spark.hadoop.dbt_mview.hold names.
  */
class LinkLogStore(conf: Configuration) extends HadoopFileSystemLogStore(conf) {
  private val hold = Option(conf.get("dbt_mview.hold")).map(Paths.get(_))

  override def write(
      path: Path, actions: Iterator[String], overwrite: java.lang.Boolean, conf: Configuration
  ): Unit = {
    val target = Paths.get(path.toUri.getPath)
    val text = new StringBuilder
    while (actions.hasNext) text.append(actions.next()).append('\n')
    for (place <- hold) {
      val mine = place.resolve(target.getParent.getParent.getFileName)
      while (Files.exists(mine)) Thread.sleep(20)
    }
    val written = target.resolveSibling("." + target.getFileName + "." + UUID.randomUUID + ".tmp")
    Files.write(written, text.toString.getBytes(UTF_8))
    try {
      if (overwrite) Files.move(written, target, StandardCopyOption.ATOMIC_MOVE)
      else Files.createLink(target, written)
    } finally Files.deleteIfExists(written)
  }

  override def isPartialWriteVisible(path: Path, conf: Configuration): java.lang.Boolean = false
}

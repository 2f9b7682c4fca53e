package dev.holdfast.node.internal;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the access of other accounts to the replicas of a disk. The node creates files for its
 * account alone, but files of earlier releases are readable by every account. The directory of the
 * replicas is changed last, so that its mode shows whether the change is complete. If the file
 * system rejects the change, the disk remains in use; the failure is logged, and the next start of
 * the node retries.
 */
final class DiskAccess {
  private static final Logger LOG = LoggerFactory.getLogger(DiskAccess.class);
  private static final Set<Path> REFUSED = ConcurrentHashMap.newKeySet();
  private static final String MODE = "unix:mode";
  private static final int OWNER = 0700;
  private static final int OTHERS = 0077;

  private DiskAccess() {}

  /** Removes the access on a disk; does nothing if that was done or the disk has no replicas. */
  static void close(Path disk) throws IOException {
    // See ReplicaLocation.directory().
    Path replicas = disk.resolve("replicas");
    if (!REFUSED.contains(disk) && Files.isDirectory(replicas) && isOpen(replicas)) {
      Files.walkFileTree(replicas, new Closing(disk));
    }
  }

  private static void refused(Path disk, IOException cause) {
    if (REFUSED.add(disk)) {
      LOG.warn(
          "disk {}: the access of other accounts to its replicas stays as it is where the mode of a"
              + " file cannot be set ({}): run 'chmod -R go= {}' as the owner of the files",
          disk,
          cause.toString(),
          disk.resolve("replicas"));
    }
  }

  private static boolean isOpen(Path file) throws IOException {
    return (mode(file) & OTHERS) != 0;
  }

  private static int mode(Path file) throws IOException {
    return (int) Files.getAttribute(file, MODE, LinkOption.NOFOLLOW_LINKS);
  }

  private static void closeOne(Path disk, Path file) {
    try {
      // By name, because closing a descriptor of a file would release the locks that an engine has
      // on it.
      Files.setAttribute(file, MODE, mode(file) & OWNER);
    } catch (NoSuchFileException e) {
      // A replica may remove files during use.
    } catch (IOException e) {
      refused(disk, e);
    }
  }

  private static final class Closing extends SimpleFileVisitor<Path> {
    private final Path disk;

    Closing(Path disk) {
      this.disk = disk;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (attributes.isRegularFile()) {
        closeOne(disk, file);
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
      if (e instanceof AccessDeniedException) {
        refused(disk, e);
        return FileVisitResult.CONTINUE;
      }
      return e instanceof NoSuchFileException
          ? FileVisitResult.CONTINUE
          : super.visitFileFailed(file, e);
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
      if (e != null) {
        throw e;
      }
      closeOne(disk, directory);
      return FileVisitResult.CONTINUE;
    }
  }
}

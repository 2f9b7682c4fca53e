package dev.holdfast.engine.sparse.internal.base;

import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the replicas that stand on a base. Reads only the disk, not the store. */
final class BaseUse {
  private BaseUse() {}

  /**
   * Returns the folder of a replica that stands on a base, including replicas under construction;
   * empty when no replica does. An unreadable record counts as use.
   */
  static Optional<String> find(Path disk, Path base) throws IOException {
    try (DirectoryStream<Path> replicas =
        Files.newDirectoryStream(disk.resolve("replicas"), Files::isDirectory)) {
      for (Path replica : replicas) {
        if (!replica.getFileName().toString().endsWith(".deleting") && uses(disk, replica, base)) {
          return Optional.of(replica.getFileName().toString());
        }
      }
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  private static boolean uses(Path disk, Path replica, Path base) {
    ReplicaDirectory directory = new LocalReplicaDirectory(replica);
    try {
      Optional<BaseIdentity> record =
          StateFiles.load(directory, StateFiles.BASE, BaseIdentity.class);
      if (record.isPresent()) {
        return record.get().folder(disk).equals(base);
      }
      return LonghornLayout.volumeMeta(directory)
          .map(meta -> names(meta.base(), base))
          .orElse(false);
    } catch (IOException | StorageException e) {
      return mayStand(replica);
    }
  }

  // A witness and a foreign folder have no volume.meta and do not stand on a base.
  private static boolean mayStand(Path replica) {
    return Files.exists(replica.resolve(StateFiles.BASE))
        || Files.exists(replica.resolve(LonghornLayout.VOLUME_META));
  }

  // Longhorn records the path as its own container sees the disk.
  private static boolean names(String file, Path base) {
    return file.endsWith("/" + base.getFileName() + "/" + BaseIdentity.FILE);
  }
}

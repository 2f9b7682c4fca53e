package dev.holdfast.engine.sparse.internal.layout;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Reconstructs a lost volume.meta from the existing head, as Longhorn does. */
final class VolumeMetaRecovery {
  private VolumeMetaRecovery() {}

  /**
   * Reconstructs the content of volume.meta, empty without a head.
   *
   * @throws StorageException INVALID when the live head cannot be determined
   */
  static Optional<VolumeMeta> recovered(ReplicaDirectory directory)
      throws IOException, StorageException {
    LayerTree tree = LayerTree.read(directory);
    List<String> heads = tree.images().stream().filter(LonghornLayout::isHead).toList();
    Optional<OperationRecord> last = OperationRecord.load(directory);
    if (heads.isEmpty()) {
      return Optional.empty();
    }
    String head = heads.get(0);
    if (heads.size() > 1) {
      // After an unfinished operation the former head has the data.
      head = last.filter(record -> !record.done()).map(OperationRecord::formerHead).orElse("");
      if (!heads.contains(head)) {
        throw LonghornLayout.invalid(
            directory, "volume.meta is missing, and any of " + heads + " may be the live head");
      }
    }
    try (ReplicaFile file = directory.open(head)) {
      VolumeMeta first = LonghornLayout.newVolume(file.size());
      return Optional.of(first.withHead(head, tree.parent(head), file.size()).withDirty(true));
    }
  }
}

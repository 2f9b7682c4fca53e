package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LayerMeta;
import dev.holdfast.engine.sparse.internal.layout.LayerTree;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.Optional;

/**
 * Record that the file of a removed layer durably holds the child's data too and becomes the
 * child's file next. From this point recovery rolls forward.
 *
 * @param removed the file of the removed layer
 * @param child the file of the layer above it
 * @param parent the file of the layer below it, empty when the removed layer is the oldest
 */
record CoalesceRecord(String removed, String child, String parent) {

  /** Completes the coalescing; may be repeated. Returns the child's new metadata. */
  LayerMeta finish(ReplicaDirectory directory) throws IOException, StorageException {
    if (directory.files().contains(removed)) {
      LayerChecksums.forget(directory, child);
      directory.rename(removed, child);
      directory.sync("");
    }
    LayerMeta meta = LonghornLayout.layerMeta(directory, child).withName(child).withParent(parent);
    LonghornLayout.store(directory, child, meta);
    directory.remove(LonghornLayout.metaOf(removed));
    LayerChecksums.forget(directory, removed);
    directory.remove(StateFiles.FOLD);
    return meta;
  }

  static void recover(ReplicaDirectory directory) throws IOException, StorageException {
    Optional<CoalesceRecord> record =
        StateFiles.load(directory, StateFiles.FOLD, CoalesceRecord.class);
    if (record.isPresent()) {
      if (record.get().fits(LayerTree.read(directory))) {
        record.get().finish(directory);
      } else {
        directory.remove(StateFiles.FOLD);
      }
    }
  }

  // Another program may have changed the chain since the record was written; then these files
  // belong to that program's chain.
  private boolean fits(LayerTree tree) {
    return tree.has(child)
        && (tree.parent(child).equals(removed)
            || (tree.parent(child).equals(parent) && !tree.has(removed)));
  }
}

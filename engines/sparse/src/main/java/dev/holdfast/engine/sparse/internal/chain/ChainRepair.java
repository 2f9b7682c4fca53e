package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LayerMeta;
import dev.holdfast.engine.sparse.internal.layout.LayerTree;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.VolumeMetaState;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedSet;

/** Repairs a directory after a crash during a change of its layers. */
final class ChainRepair {
  private ChainRepair() {}

  static void run(ReplicaDirectory directory, VolumeMetaState state)
      throws IOException, StorageException {
    // Entries may exist only in the page cache. Sync first: an entry that this code relied on must
    // not disappear later.
    directory.sync("");
    if (!directory.files(StateFiles.FOLDER).isEmpty()) {
      directory.sync(StateFiles.FOLDER);
    }
    if (directory.load(LonghornLayout.VOLUME_META).map(content -> content.length).orElse(0) == 0) {
      state.store(state.meta());
    }
    SharedLayers.recover(directory);
    HeadChange.recover(directory, state);
    CoalesceRecord.recover(directory);
    removeMetaWithoutImage(directory);
    LayerMeta head = LonghornLayout.layerMeta(directory, state.meta().head());
    String parent = head.parent() == null ? "" : head.parent();
    if (!parent.equals(state.meta().parent())) {
      state.store(state.meta().withHead(state.meta().head(), parent, state.meta().size()));
    }
  }

  // A removal deletes the image first. Metadata without an image is lost data if another layer
  // stands on it, else a leftover of a removal.
  private static void removeMetaWithoutImage(ReplicaDirectory directory)
      throws IOException, StorageException {
    SortedSet<String> files = directory.files();
    Set<String> parents = new HashSet<>();
    LayerTree tree = LayerTree.read(directory);
    tree.images().forEach(image -> parents.add(tree.parent(image)));
    for (String file : files) {
      for (String suffix : new String[] {".meta", ".checksum"}) {
        String image =
            file.endsWith(suffix) ? file.substring(0, file.length() - suffix.length()) : "";
        if (LonghornLayout.isLayer(image) && !files.contains(image) && !parents.contains(image)) {
          directory.remove(file);
        }
      }
    }
  }
}

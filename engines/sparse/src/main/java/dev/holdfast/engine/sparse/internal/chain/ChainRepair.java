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

/** Brings a directory back in order after a crash in the middle of a change of its layers. */
final class ChainRepair {
  private ChainRepair() {}

  static void run(ReplicaDirectory directory, VolumeMetaState state)
      throws IOException, StorageException {
    // What is found may be in the page cache only, and must not be taken back once it was believed.
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

  // A removal begins with the image. What another layer stands on is a loss, not debris.
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

package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.base.BaseLayer;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.layout.LayerTree;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The files of a replica's layers, the base included, which is below the oldest layer and in no
 * tree. Immutable.
 */
final class LayerFiles {
  private final ReplicaDirectory directory;
  private final Optional<BaseLayer> base;

  LayerFiles(ReplicaDirectory directory, Optional<BaseLayer> base) {
    this.directory = directory;
    this.base = base;
  }

  Optional<BaseLayer> base() {
    return base;
  }

  /** Returns the layers of the replica itself from the oldest up to this one. */
  List<String> own(LayerTree tree, String top) throws StorageException {
    try {
      return tree.chain(top);
    } catch (IllegalStateException e) {
      throw LonghornLayout.invalid(directory, e.getMessage());
    }
  }

  /** Returns all layers up to this one, the base first if there is one. */
  List<String> chain(LayerTree tree, String top) throws StorageException {
    List<String> names = own(tree, top);
    base.ifPresent(layer -> names.add(0, layer.name()));
    return names;
  }

  /** Returns whether no other content is below a layer. */
  boolean lowest(LayerTree tree, String image) {
    return base.isEmpty() && tree.has(image) && tree.parent(image).isEmpty();
  }

  /** Opens the named files; closes them again when one cannot be opened. */
  List<ReplicaFile> open(List<String> names) throws IOException {
    List<ReplicaFile> files = new ArrayList<>();
    return Layers.closingUnlessDone(
        files,
        () -> {
          for (String name : names) {
            files.add(open(name));
          }
          return files;
        });
  }

  private ReplicaFile open(String name) throws IOException {
    return base.isPresent() && base.get().name().equals(name)
        ? base.get().open()
        : directory.open(name);
  }
}

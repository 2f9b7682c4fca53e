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
 * The files of a replica's layers. They include the base, which is below the oldest layer and is
 * not part of the layer tree. Immutable.
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

  /** Returns the replica's layers, without the base, from the oldest up to the given one. */
  List<String> own(LayerTree tree, String top) throws StorageException {
    try {
      return tree.chain(top);
    } catch (IllegalStateException e) {
      throw LonghornLayout.invalid(directory, e.getMessage());
    }
  }

  /** Returns all layers up to the given one; the base, if any, is first. */
  List<String> chain(LayerTree tree, String top) throws StorageException {
    List<String> names = own(tree, top);
    base.ifPresent(layer -> names.add(0, layer.name()));
    return names;
  }

  /** Returns whether neither a layer nor a base is below a layer. */
  boolean lowest(LayerTree tree, String image) {
    return base.isEmpty() && tree.has(image) && tree.parent(image).isEmpty();
  }

  /** Opens the named files. If one cannot be opened, closes the others. */
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

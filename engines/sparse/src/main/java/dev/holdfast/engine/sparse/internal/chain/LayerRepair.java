package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Repairs damaged data in a layer below the head while requests continue. The repair holds the
 * layer's lock, so that the layer is not coalesced.
 */
final class LayerRepair {
  private final ReplicaDirectory directory;
  private final LocalChain chain;

  LayerRepair(ReplicaDirectory directory, LocalChain chain) {
    this.directory = directory;
    this.chain = chain;
  }

  /** Replaces a part of a layer, durably. */
  void write(String image, long offset, ByteBuffer right) throws IOException, StorageException {
    change(image, offset, right.remaining(), file -> file.write(right, offset));
  }

  /** Makes a part of a layer a hole, durably: reads of it then reach the layers below. */
  void punch(String image, long offset, long length) throws IOException, StorageException {
    change(image, offset, length, file -> file.punch(offset, length));
  }

  /** Restores the length of a truncated layer, durably. */
  void grow(String image, long size) throws IOException, StorageException {
    change(image, size, 0, file -> file.grow(size));
  }

  private interface Change {
    void on(ReplicaFile file) throws IOException;
  }

  private void change(String image, long offset, long length, Change change)
      throws IOException, StorageException {
    chain.shared().own(image, SharedLayers.Progress.UNHURRIED);
    synchronized (chain) {
      // Under the lock no other replica can link the layer. A link since the check is rare, so this
      // copy usually does nothing.
      chain.shared().own(image, SharedLayers.Progress.UNHURRIED);
      chain.state().soil();
      // Close the snapshot readers above the layer: each has its own index of the layer's data.
      chain.releaseAll();
      chain
          .layers()
          .withRange(
              offset,
              length,
              () -> {
                try (ReplicaFile file = directory.open(image)) {
                  change.on(file);
                  file.sync();
                }
                chain.layers().relocate(offset, length);
              });
    }
  }
}

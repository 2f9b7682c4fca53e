package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LayerMeta;
import dev.holdfast.engine.sparse.internal.layout.LayerTree;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.NameHash;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * Shares a snapshot's layers with a new replica of another volume: hard links with new names, as
 * removed layers below the new head. The caller holds the chain's lock, so that no layer is punched
 * or copied into until the return.
 */
final class LayerLinks {
  /** Maximum length of the chain below a new head, which leaves room for snapshots above it. */
  private static final int DEEPEST = 150;

  private final ReplicaDirectory directory;
  private final LocalChain chain;

  LayerLinks(ReplicaDirectory directory, LocalChain chain) {
    this.directory = directory;
    this.chain = chain;
  }

  /** As {@link LocalChain#share}. */
  SharedSnapshot share(String volume, String snapshot, Path folder)
      throws IOException, StorageException {
    VolumeMeta meta = chain.state().meta();
    if (meta.rebuilding()) {
      throw new StorageException(
          ErrorCode.BUSY, directory.path() + ": is being rebuilt; its layers cannot be shared yet");
    }
    String image = chain.known(snapshot);
    LayerTree tree = chain.tree();
    List<String> names = chain.files().own(tree, image);
    if (names.size() > DEEPEST) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          directory.path() + ": " + names.size() + " layers are too many to be shared");
    }
    if (!meta.shared()) {
      // From this point, engines that would change shared layers in place reject the replica.
      chain.state().soil();
      VolumeMeta now = chain.state().meta();
      chain.state().store(now.withBacking(true, now.base()));
    }
    ReplicaDirectory target = directory.elsewhere(folder);
    String parent = "";
    for (String name : names) {
      // All replicas compute the same name, and it differs from all names that users can give to
      // snapshots of the new volume.
      String linked = LonghornLayout.imageOf("base-" + NameHash.of(volume + "/" + name));
      link(name, folder, linked);
      LayerMeta of = tree.meta(name);
      LonghornLayout.store(
          target, linked, new LayerMeta(linked, parent, true, false, of.created(), null));
      carry(StateFiles.CHECKSUM_PREFIX, name, target, linked);
      carry(StateFiles.SUMS_PREFIX, name, target, linked);
      parent = linked;
    }
    try (ReplicaFile top = directory.open(image)) {
      return new SharedSnapshot(parent, top.size());
    }
  }

  // The layers below a snapshot were synced when it was taken. A layer that is being coalesced may
  // be partly unsynced.
  private void link(String name, Path folder, String linked) throws IOException, StorageException {
    boolean synced = false;
    try (ReplicaFile file = directory.open(name)) {
      file.sync();
      synced = true;
    } finally {
      if (!synced) {
        chain.layers().unsynced();
      }
    }
    try {
      directory.linkInto(name, folder, linked);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (FileSystemException e) {
      StorageException why = StorageException.io(directory.path() + ": " + name, e);
      throw why.code() == ErrorCode.NO_SPACE
          ? why
          : new StorageException(
              ErrorCode.UNSUPPORTED,
              directory.path() + ": " + name + " cannot be shared with " + folder,
              e);
    }
  }

  private void carry(String prefix, String image, ReplicaDirectory target, String linked)
      throws IOException {
    byte[] known = directory.load(prefix + LonghornLayout.snapshotOf(image)).orElse(null);
    if (known != null) {
      target.store(prefix + LonghornLayout.snapshotOf(linked), known);
    }
  }
}

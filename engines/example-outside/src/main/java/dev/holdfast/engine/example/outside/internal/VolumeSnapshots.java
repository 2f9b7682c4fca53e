package dev.holdfast.engine.example.outside.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.example.outside.internal.disk.ContentChanges;
import dev.holdfast.engine.example.outside.internal.disk.CopyDevice;
import dev.holdfast.engine.example.outside.internal.disk.SnapshotCopies;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * SnapshotCopies of an open volume. Its daemon copies the content as it is at the call while
 * requests continue, so a snapshot takes as long as the copy. The monitor of the daemons is held by
 * each call.
 */
final class VolumeSnapshots {
  private final VolumeDaemons daemons;
  private final SnapshotCopies stored;

  VolumeSnapshots(VolumeDaemons daemons) {
    this.daemons = daemons;
    this.stored = new SnapshotCopies(daemons.replica());
  }

  SnapshotInfo create(SnapshotRequest request) throws StorageException {
    synchronized (daemons) {
      daemons.requireOpen();
      Optional<SnapshotInfo> present = stored.find(request.name());
      return present.isPresent()
          ? present.get()
          : stored.add(request, daemons.claim().sizeBytes(), daemons.image()::copy);
    }
  }

  List<SnapshotInfo> list() throws StorageException {
    synchronized (daemons) {
      return stored.list();
    }
  }

  void delete(String name) throws StorageException {
    synchronized (daemons) {
      daemons.requireOpen();
      stored.remove(name);
    }
  }

  void revert(String name) throws StorageException {
    synchronized (daemons) {
      daemons.requireOpen();
      Path next = stored.duplicate(name);
      daemons.image().replace(() -> daemons.replica().replaceImage(next), daemons.keys());
      stored.reverted(name);
    }
  }

  BlockDevice open(String name) throws StorageException {
    synchronized (daemons) {
      return CopyDevice.open(name, stored.content(name));
    }
  }

  void changes(String older, String newer, ExtentVisitor visitor) throws StorageException {
    synchronized (daemons) {
      Path after =
          newer.equals(SnapshotInfo.HEAD) ? daemons.replica().image() : stored.content(newer);
      Optional<Path> before =
          older.isEmpty() ? Optional.empty() : Optional.of(stored.content(older));
      if (!older.isEmpty() && !stored.isAncestor(older, newer)) {
        throw new StorageException(
            ErrorCode.INVALID,
            "snapshot " + older + " is not below " + newer + ": name the older one first");
      }
      ContentChanges.visit(before, after, visitor);
    }
  }
}

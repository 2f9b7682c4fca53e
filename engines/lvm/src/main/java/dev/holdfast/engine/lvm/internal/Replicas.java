package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.engine.lvm.blobs.BlobInfo;
import dev.holdfast.engine.lvm.blobs.BlobManager;
import dev.holdfast.engine.lvm.blobs.BlobMode;
import dev.holdfast.engine.lvm.blobs.BlobOptions;
import dev.holdfast.engine.lvm.blobs.BlobWipe;
import dev.holdfast.engine.lvm.internal.replica.LvmReplica;
import dev.holdfast.engine.lvm.internal.replica.LvmReplica.Phase;
import dev.holdfast.engine.lvm.internal.replica.ReplicaPlace;
import dev.holdfast.engine.lvm.internal.replica.StoredSnapshot;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.posix.LockFile;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Creates, deletes and inspects replicas that are not open. Thread-safe for different replicas. */
final class Replicas {
  private final LvmContext context;

  Replicas(LvmContext context) {
    this.context = context;
  }

  private static StorageException invalid(ReplicaLocation location, String why) {
    return new StorageException(ErrorCode.INVALID, "replica " + location.replica() + ": " + why);
  }

  private static LvmReplica creating(
      ReplicaLocation location, ReplicaPlace place, long sizeBytes, BlobOptions options) {
    return new LvmReplica(
        location.volume(),
        location.replica(),
        sizeBytes,
        options,
        "",
        "",
        place.key(),
        "",
        0,
        Phase.CREATING,
        "",
        List.of());
  }

  void createEmpty(ReplicaLocation location, long sizeBytes, BlobOptions options)
      throws StorageException {
    ReplicaPlace place = context.place(location);
    requireWholeExtents(location, place, sizeBytes);
    LvmReplica wanted = creating(location, place, sizeBytes, options);
    create(place, wanted);
  }

  private void requireWholeExtents(ReplicaLocation location, ReplicaPlace place, long sizeBytes)
      throws StorageException {
    long extent = context.blobs(location.nodeId()).group(place.group()).extentBytes();
    if (sizeBytes < extent || sizeBytes % extent != 0) {
      throw invalid(
          location,
          "size "
              + sizeBytes
              + " B of volume "
              + location.volume()
              + ": must be a multiple of the extent of volume group "
              + place.group()
              + ", "
              + extent
              + " B");
    }
  }

  /** The content has the same source each time that the record is the same. */
  void createClone(
      ReplicaLocation location, long sizeBytes, SnapshotContent content, OpenReplica source)
      throws StorageException {
    ReplicaPlace place = context.place(location);
    if (!place.groupId().equals(source.place().groupId())) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "replica "
              + location.replica()
              + ": volume group "
              + place.group()
              + " is not that of its source, "
              + source.place().group()
              + ": copy the content instead");
    }
    StoredSnapshot snapshot =
        source
            .snapshot(content.snapshot())
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND,
                        "volume "
                            + source.volume()
                            + " has no snapshot "
                            + content.snapshot()
                            + ": clone another one"));
    requireWholeExtents(location, place, sizeBytes);
    long least = source.blobs().size(source.place().blob(snapshot.blob()));
    if (sizeBytes < least) {
      throw invalid(
          location,
          "size " + sizeBytes + " B is smaller than its source, " + least + " B: use that");
    }
    LvmReplica empty = creating(location, place, sizeBytes, source.record().options());
    create(place, empty.cloning(content.id(), snapshot.blob()));
  }

  private void create(ReplicaPlace place, LvmReplica wanted) throws StorageException {
    Optional<LvmReplica> present = context.records().read(place);
    if (present.isPresent()) {
      requireSame(place.location(), present.get(), wanted);
      if (present.get().phase() != Phase.CREATING) {
        return;
      }
    } else {
      context.records().write(place, wanted);
    }
    try {
      createBlob(place, present.orElse(wanted));
    } catch (StorageException e) {
      if (isLasting(e.code())) {
        abandon(place, e);
      }
      throw e.code() == ErrorCode.ALREADY_EXISTS
          ? new StorageException(ErrorCode.INVALID, e.getMessage(), e)
          : e;
    }
    context.records().write(place, present.orElse(wanted).in(Phase.PRESENT));
  }

  private void createBlob(ReplicaPlace place, LvmReplica record) throws StorageException {
    BlobManager blobs = context.blobs(place.location().nodeId());
    if (record.source().isEmpty()) {
      blobs.createEmpty(place.head(), record.options(), record.sizeBytes());
      return;
    }
    blobs.createCopy(place.head(), place.blob(record.source()));
    if (blobs.size(place.head()) < record.sizeBytes()) {
      blobs.extend(place.head(), record.sizeBytes());
    }
  }

  private static boolean isLasting(ErrorCode code) {
    return code == ErrorCode.NO_SPACE || code == ErrorCode.NOT_FOUND;
  }

  private void abandon(ReplicaPlace place, StorageException cause) {
    try {
      context.blobs(place.location().nodeId()).delete(place.head());
      context.records().delete(place);
    } catch (StorageException e) {
      cause.addSuppressed(e); // the record stays, and a repetition or a deletion completes it
    }
  }

  private static void requireSame(ReplicaLocation location, LvmReplica present, LvmReplica wanted)
      throws StorageException {
    if (present.phase() == Phase.DELETING) {
      throw new StorageException(
          ErrorCode.BUSY,
          "replica " + location.replica() + " is being deleted: repeat the deletion first");
    }
    boolean same =
        present.sizeBytes() == wanted.sizeBytes()
            && present.content().equals(wanted.content())
            && present.options().equals(wanted.options());
    if (!same) {
      throw invalid(
          location,
          "it exists with "
              + present.sizeBytes()
              + " B, "
              + present.options()
              + " and content \""
              + present.content()
              + "\", requested are "
              + wanted.sizeBytes()
              + " B, "
              + wanted.options()
              + " and content \""
              + wanted.content()
              + "\": delete it first");
    }
  }

  void delete(ReplicaLocation location) throws StorageException {
    ReplicaPlace place = context.place(location);
    Optional<LvmReplica> present = context.records().read(place);
    NodeFiles files = context.files(place);
    try (LockFile lock = files.lock(location.volume())) {
      if (present.isPresent()) {
        delete(place, lock, present.get());
      }
      files.forget();
    } catch (IOException e) {
      throw StorageException.io("lock of volume " + location.volume(), e);
    }
  }

  private void delete(ReplicaPlace place, LockFile lock, LvmReplica present)
      throws StorageException {
    OpenReplica replica = new OpenReplica(context, place, lock, present);
    try {
      replica.takeFromOthers();
      delete(place, replica, present);
    } finally {
      context.opened(place.head(), false);
    }
  }

  private void delete(ReplicaPlace place, OpenReplica replica, LvmReplica present)
      throws StorageException {
    if (present.phase() != Phase.DELETING) {
      replica.update(present.in(Phase.DELETING));
    }
    replica.withdraw();
    BlobManager blobs = replica.blobs();
    for (StoredSnapshot snapshot : present.snapshots()) {
      Blob blob = place.blob(snapshot.blob());
      replica.detachAll(blob);
      blobs.delete(blob);
    }
    replica.detachAll(place.head());
    blobs.delete(place.head());
    context.records().delete(place);
  }

  /** Takes away from hosts what an earlier process left; see {@code LastingExportEngine}. */
  void withdraw(ReplicaLocation location) throws StorageException {
    ReplicaPlace place = context.place(location);
    Optional<LvmReplica> present = context.records().read(place);
    if (present.isEmpty()) {
      return;
    }
    try (LockFile lock = context.files(place).lock(location.volume())) {
      new OpenReplica(context, place, lock, present.get()).withdraw();
      context.opened(place.head(), false);
    } catch (IOException e) {
      throw StorageException.io("lock of volume " + location.volume(), e);
    }
  }

  Optional<ReplicaInfo> inspect(ReplicaLocation location) throws StorageException {
    ReplicaPlace place = context.seen(location);
    Optional<LvmReplica> present = context.records().read(place);
    if (present.isEmpty() || present.get().phase() == Phase.CREATING) {
      return Optional.empty();
    }
    long used =
        context.blobs(location.nodeId()).find(place.head()).map(BlobInfo::usedBytes).orElse(0L);
    return Optional.of(
        new ReplicaInfo(present.get().sizeBytes(), used, context.files(place).state().clean()));
  }

  /** Returns the options that requests name. */
  static BlobOptions options(boolean linear, boolean unsafe) {
    BlobOptions thin = BlobOptions.THIN;
    if (!linear) {
      return thin;
    }
    return unsafe ? new BlobOptions(BlobMode.LINEAR, BlobWipe.UNSAFE_FAST) : BlobOptions.LINEAR;
  }
}

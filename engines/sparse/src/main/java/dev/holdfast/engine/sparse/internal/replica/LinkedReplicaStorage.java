package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.engine.sparse.internal.base.BaseIdentity;
import dev.holdfast.engine.sparse.internal.base.SealedBase;
import dev.holdfast.engine.sparse.internal.chain.SharedSnapshot;
import dev.holdfast.engine.sparse.internal.disk.FileTree;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Creates replicas whose initial content is a snapshot of another volume, by sharing its layers.
 * Each creation is atomic. A partly created replica is removed by the next attempt, or together
 * with the replica.
 */
public final class LinkedReplicaStorage {
  private final ReplicaHost host;

  public LinkedReplicaStorage(ReplicaHost host) {
    this.host = host;
  }

  /** As {@link dev.holdfast.engine.LinkedCloneEngine#cloneReplica}. */
  public void link(ReplicaLocation location, long sizeBytes, SnapshotContent content)
      throws StorageException {
    ReplicaStorage.checkSize(location, sizeBytes);
    if (location.witness()) {
      throw new StorageException(
          ErrorCode.INVALID, "witness " + location.replica() + ": a witness holds no data");
    }
    try {
      if (ReplicaStorage.present(location.directory())) {
        checkSame(location, sizeBytes, content);
      } else {
        build(location, sizeBytes, content);
      }
    } catch (IOException e) {
      throw StorageException.io("replica " + location.replica() + " cannot be made", e);
    }
  }

  private static void checkSame(ReplicaLocation location, long sizeBytes, SnapshotContent content)
      throws IOException, StorageException {
    ReplicaStorage.checkSame(location, sizeBytes);
    ReplicaDirectory directory = new LocalReplicaDirectory(location.directory());
    boolean same =
        StateFiles.load(directory, StateFiles.IDENTITY, ReplicaIdentity.class)
            .filter(identity -> identity.heldFirst(content.id()))
            .isPresent();
    if (!same) {
      throw new StorageException(
          ErrorCode.INVALID,
          location.directory() + " holds a replica that was made of another content");
    }
  }

  private void build(ReplicaLocation location, long sizeBytes, SnapshotContent content)
      throws IOException, StorageException {
    LocalReplica source =
        host.held(content.source())
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.BUSY,
                        "replica "
                            + content.source().replica()
                            + " is not open on this node; its content cannot be shared now"));
    Optional<BaseIdentity> base = source.baseIdentity();
    if (base.isPresent()) {
      checkBase(location, base.get());
    }
    Path building = ReplicaStorage.empty(location);
    boolean done = false;
    try {
      SharedSnapshot shared = source.share(content.snapshot(), building);
      if (sizeBytes < shared.sizeBytes()) {
        throw new StorageException(
            ErrorCode.INVALID,
            "size: must be at least "
                + shared.sizeBytes()
                + ", as snapshot "
                + content.snapshot()
                + " has: "
                + sizeBytes);
      }
      fill(building, location, sizeBytes, content, shared.image(), base);
      ReplicaStorage.publish(building, location);
      done = true;
    } finally {
      if (!done) {
        FileTree.delete(building);
      }
    }
  }

  // The layers need their base. As long as the source stands on the base, the base cannot be
  // deleted.
  private static void checkBase(ReplicaLocation location, BaseIdentity base)
      throws IOException, StorageException {
    ReplicaDirectory folder = new LocalReplicaDirectory(base.folder(location.diskPath()));
    if (SealedBase.load(folder).map(SealedBase::identity).filter(base::equals).isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "replica "
              + location.replica()
              + ": the source is based on backing image "
              + base.image()
              + ", which disk "
              + location.diskPath()
              + " does not have: copy the volume instead");
    }
  }

  private static void fill(
      Path building,
      ReplicaLocation location,
      long sizeBytes,
      SnapshotContent content,
      String parent,
      Optional<BaseIdentity> base)
      throws IOException {
    ReplicaDirectory directory = new LocalReplicaDirectory(building);
    directory.create(LonghornLayout.FIRST_HEAD, sizeBytes).close();
    String created = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    directory.store(
        LonghornLayout.metaOf(LonghornLayout.FIRST_HEAD),
        LonghornLayout.newHeadMeta(created, parent));
    directory.store(
        LonghornLayout.VOLUME_META,
        LonghornLayout.newLinkedMeta(sizeBytes, parent, ReplicaStorage.basePath(location, base)));
    if (base.isPresent()) {
      StateFiles.store(directory, StateFiles.BASE, base.get());
    }
    StateFiles.store(
        directory, StateFiles.IDENTITY, ReplicaIdentity.linked(location, content.id()));
    StateFiles.store(directory, StateFiles.EPOCH, Epoch.NONE);
  }
}

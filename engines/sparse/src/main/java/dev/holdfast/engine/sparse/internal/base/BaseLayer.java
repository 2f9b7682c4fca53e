package dev.holdfast.engine.sparse.internal.base;

import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import java.io.IOException;

/**
 * The base below the layers of a replica. Its name is not that of a file of the replica, and
 * contains the identity, so that an index over another base is not taken for one over this.
 *
 * @param identity of the base
 * @param folder where it is
 */
public record BaseLayer(BaseIdentity identity, ReplicaDirectory folder) {
  /** Returns the name that stands for the base among the layers' files. */
  public String name() {
    return SnapshotInfo.BASE + "/" + identity.text();
  }

  /** Returns the path of its file. */
  public String path() {
    return SealedBase.path(folder);
  }

  public ReplicaFile open() throws IOException {
    return SealedBase.open(folder);
  }
}

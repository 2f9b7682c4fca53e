package dev.holdfast.engine.sparse.internal.base;

import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import java.io.IOException;

/**
 * The base below the layers of a replica. Its name differs from every file name of the replica. The
 * name contains the identity, so that an index over one base is never used over another.
 *
 * @param identity identity of the base
 * @param folder folder of the base
 */
public record BaseLayer(BaseIdentity identity, ReplicaDirectory folder) {
  /** Returns the name that represents the base in a list of layer files. */
  public String name() {
    return SnapshotInfo.BASE + "/" + identity.text();
  }

  /** Returns the path of the base's file. */
  public String path() {
    return SealedBase.path(folder);
  }

  public ReplicaFile open() throws IOException {
    return SealedBase.open(folder);
  }
}

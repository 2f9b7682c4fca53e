package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.SimulatedDisk;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.error.StorageException;
import java.io.IOException;

/** Creates an empty replica on a simulated disk, as the engine does in a folder. */
public final class SimulatedReplica {
  private SimulatedReplica() {}

  /** Shares the layers of a snapshot with another replica, if an engine has this replica open. */
  public static void share(ReplicaHost host, ReplicaLocation location, String snapshot)
      throws StorageException {
    LocalReplica held = host.held(location).orElse(null);
    if (held != null) {
      var unused = held.share(snapshot, location.diskPath().resolve("clone"));
    }
  }

  /** Creates the replica durably. */
  public static void provision(SimulatedDisk disk, ReplicaLocation location, String id, long size)
      throws IOException {
    disk.put(
        StateFiles.IDENTITY,
        StateFiles.encode(new ReplicaIdentity(id, location.volume(), location.replica())));
    disk.put(StateFiles.EPOCH, StateFiles.encode(Epoch.NONE));
    if (!location.witness()) {
      disk.putSparse(LonghornLayout.FIRST_HEAD, size);
      disk.put(
          LonghornLayout.metaOf(LonghornLayout.FIRST_HEAD),
          LonghornLayout.newHeadMeta("2026-11-21T00:00:00Z"));
      disk.put(LonghornLayout.VOLUME_META, LonghornLayout.newVolumeMeta(size));
    }
  }
}

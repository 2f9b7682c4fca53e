package dev.holdfast.mounts;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;

/**
 * One layer of a replica.
 *
 * @param file file with its bytes; other bytes are in the layers below
 * @param snapshot name of the snapshot at the end of the layer; empty for the live content and for
 *     a deleted snapshot
 * @param created time of the snapshot
 * @param labels of the snapshot
 */
record ReplicaLayer(Path file, String snapshot, Instant created, Map<String, String> labels) {
  ReplicaLayer {
    labels = Map.copyOf(labels);
  }

  boolean isSnapshot() {
    return !snapshot.isEmpty();
  }
}

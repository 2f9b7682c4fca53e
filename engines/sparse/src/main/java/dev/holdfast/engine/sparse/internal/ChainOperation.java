package dev.holdfast.engine.sparse.internal;

import java.util.Map;

/**
 * A change of a volume's structure that all its replicas make.
 *
 * @param id never used twice; a replica makes the change of one id once
 * @param kind what is done
 * @param snapshot that is made, gone back to or given up; empty for an expansion
 * @param userCreated of a new snapshot: whether a person or a workload asked for it
 * @param created of a new snapshot: its time, in ISO 8601, else empty
 * @param labels of a new snapshot
 * @param sizeBytes of the volume after an expansion, else 0
 */
record ChainOperation(
    String id,
    Kind kind,
    String snapshot,
    boolean userCreated,
    String created,
    Map<String, String> labels,
    long sizeBytes) {

  /** What is done. */
  enum Kind {
    /** The head becomes a snapshot, with an empty head on top. */
    SNAPSHOT,
    /** The head is thrown away, for an empty one on top of the snapshot. */
    REVERT,
    /** The snapshot is marked as removed. */
    REMOVE,
    /** The head grows. */
    EXPAND
  }

  ChainOperation {
    labels = Map.copyOf(labels);
  }
}

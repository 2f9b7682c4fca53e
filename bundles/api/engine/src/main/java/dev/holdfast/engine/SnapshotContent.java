package dev.holdfast.engine;

import java.util.Objects;

/**
 * Content of a snapshot of another volume, which a replica holds from its beginning. Needs {@link
 * EngineCapability#LINKED_CLONE}.
 *
 * @param source where a current replica of another volume is, on the same disk; not null
 * @param snapshot name of that volume's snapshot, not null
 * @param id the same for all that hold this content, and never used for another one; not empty
 * @since 1.3
 */
public record SnapshotContent(ReplicaLocation source, String snapshot, String id)
    implements InitialContent {
  /** Checks that nothing is missing. */
  public SnapshotContent {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(snapshot, "snapshot");
    if (id.isEmpty()) {
      throw new IllegalArgumentException("id: must not be empty");
    }
  }
}

package dev.holdfast.engine;

import java.util.Objects;

/**
 * Content of another volume's snapshot as a replica's first content. Needs {@link
 * EngineCapability#LINKED_CLONE}.
 *
 * @param source place of a current replica of the other volume, on the same disk; not null
 * @param snapshot name of that volume's snapshot, not null
 * @param id identifier of the content, equal for all replicas with this content and unique; not
 *     empty
 * @since 1.3
 */
public record SnapshotContent(ReplicaLocation source, String snapshot, String id)
    implements InitialContent {
  /** Rejects null components and an empty identifier. */
  public SnapshotContent {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(snapshot, "snapshot");
    if (id.isEmpty()) {
      throw new IllegalArgumentException("id: must not be empty");
    }
  }
}

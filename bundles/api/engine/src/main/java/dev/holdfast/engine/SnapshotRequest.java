package dev.holdfast.engine;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * Request to create a snapshot.
 *
 * @param name unique in the volume: at most 200 letters, digits, dots, dashes and underscores; not
 *     null
 * @param userCreated whether a user or a workload requested it; the system may remove snapshots
 *     that it made for its own work
 * @param created time to store with it, not null
 * @param labels labels to store with it, not null
 */
public record SnapshotRequest(
    String name, boolean userCreated, Instant created, Map<String, String> labels) {
  /** Copies the labels and checks the name. */
  public SnapshotRequest {
    Objects.requireNonNull(created, "created");
    labels = Map.copyOf(labels);
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,199}")) {
      throw new IllegalArgumentException(
          "name: must be at most 200 letters, digits, dots, dashes and underscores: " + name);
    }
  }
}

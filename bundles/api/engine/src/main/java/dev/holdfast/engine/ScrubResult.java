package dev.holdfast.engine;

import java.util.List;
import java.util.Objects;

/**
 * Result of a scrub.
 *
 * @param snapshot name of the snapshot, not null
 * @param checksum of its layer, now equal on all replicas; empty if a part is damaged; not null
 * @param repaired names of the replicas that differed and were repaired, not null
 * @param repairedBytes number of bytes that were replaced
 * @param damaged ranges that could not be repaired, because the correct content is unknown; not
 *     null
 */
public record ScrubResult(
    String snapshot,
    String checksum,
    List<String> repaired,
    long repairedBytes,
    List<DamagedRange> damaged) {
  /** Copies the lists and rejects null components. */
  public ScrubResult {
    Objects.requireNonNull(snapshot, "snapshot");
    Objects.requireNonNull(checksum, "checksum");
    repaired = List.copyOf(repaired);
    damaged = List.copyOf(damaged);
  }
}

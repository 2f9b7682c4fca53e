package dev.holdfast.engine;

import java.util.List;
import java.util.Objects;

/**
 * Result of a scrub.
 *
 * @param snapshot its name, not null
 * @param checksum of its layer, the same on all replicas now; empty when some of it is damaged; not
 *     null
 * @param repaired names of the replicas that differed and were repaired, not null
 * @param repairedBytes how many bytes of them were replaced
 * @param damaged what could not be repaired, because the right content is unknown, not null
 */
public record ScrubResult(
    String snapshot,
    String checksum,
    List<String> repaired,
    long repairedBytes,
    List<DamagedRange> damaged) {
  /** Copies the lists and checks that nothing is missing. */
  public ScrubResult {
    Objects.requireNonNull(snapshot, "snapshot");
    Objects.requireNonNull(checksum, "checksum");
    repaired = List.copyOf(repaired);
    damaged = List.copyOf(damaged);
  }
}

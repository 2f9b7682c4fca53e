package dev.holdfast.engine;

import java.util.List;
import java.util.Objects;

/**
 * What scrubbing found.
 *
 * @param snapshot its name, not null
 * @param checksum of its layer, the same on all replicas now, not null
 * @param repaired names of the replicas that differed and were repaired, not null
 */
public record ScrubResult(String snapshot, String checksum, List<String> repaired) {
  /** Copies the list and checks that nothing is missing. */
  public ScrubResult {
    Objects.requireNonNull(snapshot, "snapshot");
    Objects.requireNonNull(checksum, "checksum");
    repaired = List.copyOf(repaired);
  }
}

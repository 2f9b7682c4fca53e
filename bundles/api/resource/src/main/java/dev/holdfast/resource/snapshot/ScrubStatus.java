package dev.holdfast.resource.snapshot;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * Progress or result of the comparison of a snapshot with its checksums.
 *
 * @param progress in percent, 0 to 100
 * @param done bytes of the snapshot's own layer that were compared, including holes
 * @param total bytes of the snapshot's own layer
 * @param repaired bytes that were replaced by those of an intact replica
 * @param repairedReplicas replicas that were repaired, by name
 * @param damaged bytes without an intact copy on any replica; they are left unchanged
 */
@RecordBuilder
public record ScrubStatus(
    int progress,
    Quantity done,
    Quantity total,
    Quantity repaired,
    List<String> repairedReplicas,
    Quantity damaged)
    implements ScrubStatusBuilder.With {
  /** No comparison took place. */
  public static final ScrubStatus EMPTY = new ScrubStatus(0, null, null, null, null, null);

  /** Replaces null components by their defaults and copies the list. */
  public ScrubStatus {
    done = Defaults.or(done, Quantity.ZERO);
    total = Defaults.or(total, Quantity.ZERO);
    repaired = Defaults.or(repaired, Quantity.ZERO);
    repairedReplicas = Defaults.list(repairedReplicas);
    damaged = Defaults.or(damaged, Quantity.ZERO);
  }
}

package dev.holdfast.resource.cluster;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The holder of a lease, with the fields of Kubernetes' coordination.k8s.io.
 *
 * @param holderIdentity the holder; empty for none
 * @param leaseDurationSeconds time that other nodes wait after the last renewal
 * @param acquireTime time at which the holder acquired the lease
 * @param renewTime time of the holder's last renewal
 * @param leaseTransitions number of changes of the holder
 */
@RecordBuilder
public record LeaseSpec(
    String holderIdentity,
    int leaseDurationSeconds,
    Optional<Instant> acquireTime,
    Optional<Instant> renewTime,
    int leaseTransitions)
    implements LeaseSpecBuilder.With {
  /** Nothing set. */
  public static final LeaseSpec EMPTY =
      new LeaseSpec(null, 0, Optional.empty(), Optional.empty(), 0);

  /** Replaces null components by their defaults and copies the collections. */
  public LeaseSpec {
    holderIdentity = Defaults.text(holderIdentity);
    acquireTime = Defaults.optional(acquireTime);
    renewTime = Defaults.optional(renewTime);
  }

  List<FieldError> validate() {
    return new Checks()
        .that(
            leaseDurationSeconds >= 0,
            "spec.leaseDurationSeconds",
            leaseDurationSeconds,
            "must not be negative")
        .errors();
  }
}

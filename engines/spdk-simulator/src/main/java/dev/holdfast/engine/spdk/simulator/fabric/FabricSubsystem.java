package dev.holdfast.engine.spdk.simulator.fabric;

import java.util.Objects;

/**
 * Properties of a subsystem that hosts see.
 *
 * @param nqn its name, not null
 * @param serialNumber not null
 * @param modelNumber not null
 * @param anaReporting whether it reports asymmetric access
 */
public record FabricSubsystem(
    String nqn, String serialNumber, String modelNumber, boolean anaReporting) {
  /** Checks that nothing is missing. */
  public FabricSubsystem {
    Objects.requireNonNull(nqn, "nqn");
    Objects.requireNonNull(serialNumber, "serialNumber");
    Objects.requireNonNull(modelNumber, "modelNumber");
  }
}

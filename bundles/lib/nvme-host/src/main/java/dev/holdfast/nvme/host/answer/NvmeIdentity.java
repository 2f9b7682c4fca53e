package dev.holdfast.nvme.host.answer;

import java.util.Objects;

/**
 * Identity of a controller and of its subsystem.
 *
 * @param controller number of the controller in the subsystem
 * @param nqn name of the subsystem, not null
 * @param serialNumber without trailing blanks, not null
 * @param modelNumber without trailing blanks, not null
 * @param anaReporting whether it reports asymmetric access
 */
public record NvmeIdentity(
    int controller, String nqn, String serialNumber, String modelNumber, boolean anaReporting) {
  /** Checks that all parts are present. */
  public NvmeIdentity {
    Objects.requireNonNull(nqn, "nqn");
    Objects.requireNonNull(serialNumber, "serialNumber");
    Objects.requireNonNull(modelNumber, "modelNumber");
  }
}

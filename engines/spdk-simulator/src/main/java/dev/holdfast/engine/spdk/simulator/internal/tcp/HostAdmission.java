package dev.holdfast.engine.spdk.simulator.internal.tcp;

import dev.holdfast.engine.spdk.simulator.fabric.FabricException;

/** Decides about hosts that connect at one address. */
@FunctionalInterface
public interface HostAdmission {
  /**
   * Admits a host to a subsystem.
   *
   * @throws FabricException with the status of Connect when the host is refused
   */
  ServedAssociation admit(String subsystem, String host) throws FabricException;
}

package dev.holdfast.engine.spdk.simulator.fabric;

import java.io.IOException;

/** The side of a target that accepts hosts at its addresses. */
@FunctionalInterface
public interface FabricPort {
  /**
   * Connects a host.
   *
   * @param address where the host reaches the target, not null
   * @param subsystem name of the subsystem, not null
   * @param host its identity, not null
   * @return the association, never null
   * @throws IOException when the target refuses the host
   */
  FabricConnection connect(FabricAddress address, String subsystem, FabricHost host)
      throws IOException;
}

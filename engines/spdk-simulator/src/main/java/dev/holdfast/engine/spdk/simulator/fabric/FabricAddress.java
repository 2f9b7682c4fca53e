package dev.holdfast.engine.spdk.simulator.fabric;

import java.util.Objects;

/**
 * A place where a target listens.
 *
 * @param transport as SPDK writes it, {@code TCP}, not null
 * @param family {@code IPv4} or {@code IPv6}, not null
 * @param address of the target, not null
 * @param port of the target, not null
 */
public record FabricAddress(String transport, String family, String address, String port) {
  /** Checks that nothing is missing. */
  public FabricAddress {
    Objects.requireNonNull(transport, "transport");
    Objects.requireNonNull(family, "family");
    Objects.requireNonNull(address, "address");
    Objects.requireNonNull(port, "port");
  }
}

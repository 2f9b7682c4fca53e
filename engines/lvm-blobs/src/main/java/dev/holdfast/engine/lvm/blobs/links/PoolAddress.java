package dev.holdfast.engine.lvm.blobs.links;

import java.util.Objects;

/**
 * Address of an export of a pool's blob.
 *
 * @param node name of the node, which its certificate must have
 * @param host name or IP address of the node
 * @param port TCP port, from 1 to 65535
 * @param generation of the export, positive
 */
public record PoolAddress(String node, String host, int port, long generation) {
  private static final int LAST_PORT = 65535;

  /** Checks the values. */
  public PoolAddress {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(host, "host");
    if (port < 1 || port > LAST_PORT) {
      throw new IllegalArgumentException("port: " + port + ": must be from 1 to " + LAST_PORT);
    }
    if (generation < 1) {
      throw new IllegalArgumentException("generation: " + generation + ": must be positive");
    }
  }
}

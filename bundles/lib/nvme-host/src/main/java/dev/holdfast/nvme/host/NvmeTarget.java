package dev.holdfast.nvme.host;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;

/**
 * A subsystem, and the identity by which this host connects to it.
 *
 * @param address address at which the target listens, not null
 * @param subsystem NQN of the subsystem, 1 to 223 bytes, not null
 * @param namespace number of the namespace, at least 1
 * @param hostName NQN of this host, 1 to 223 bytes, not null
 * @param hostId identifier of this host, not null
 * @param limit maximum time until a command is answered, at least 10 ms, not null
 */
public record NvmeTarget(
    InetSocketAddress address,
    String subsystem,
    int namespace,
    String hostName,
    UUID hostId,
    Duration limit) {
  private static final int LONGEST_NAME = 223;
  private static final Duration SHORTEST = Duration.ofMillis(10);

  /** Checks the values. */
  public NvmeTarget {
    Objects.requireNonNull(address, "address");
    requireName("subsystem", subsystem);
    requireName("hostName", hostName);
    Objects.requireNonNull(hostId, "hostId");
    if (namespace < 1) {
      throw new IllegalArgumentException("namespace: must be at least 1: " + namespace);
    }
    requireLimit(limit);
  }

  static void requireLimit(Duration limit) {
    if (limit.compareTo(SHORTEST) < 0) {
      throw new IllegalArgumentException("limit: must be at least 10 ms: " + limit);
    }
  }

  static void requireName(String field, String name) {
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (length == 0 || length > LONGEST_NAME) {
      throw new IllegalArgumentException(
          field + ": must have 1 to " + LONGEST_NAME + " bytes: " + name);
    }
  }
}

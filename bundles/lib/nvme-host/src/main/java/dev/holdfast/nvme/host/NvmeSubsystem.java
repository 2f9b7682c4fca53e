package dev.holdfast.nvme.host;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;

/**
 * A subsystem at one of its addresses, and the identity by which this host connects to it.
 *
 * @param address address at which the target listens, not null
 * @param nqn name of the subsystem, 1 to 223 bytes, not null
 * @param hostName NQN of this host, 1 to 223 bytes, not null
 * @param hostId identifier of this host, not null
 * @param limit maximum time until a command is answered, at least 10 ms, not null
 */
public record NvmeSubsystem(
    InetSocketAddress address, String nqn, String hostName, UUID hostId, Duration limit) {
  /** Checks the values. */
  public NvmeSubsystem {
    Objects.requireNonNull(address, "address");
    NvmeTarget.requireName("nqn", nqn);
    NvmeTarget.requireName("hostName", hostName);
    Objects.requireNonNull(hostId, "hostId");
    NvmeTarget.requireLimit(limit);
  }
}

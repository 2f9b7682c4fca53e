package dev.holdfast.nvme.host.internal;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.UUID;

/**
 * Address of a subsystem, and the identity by which this host connects to it.
 *
 * @param address address at which the target listens
 * @param subsystem NQN of the subsystem
 * @param hostName NQN of this host
 * @param hostId identifier of this host
 * @param limit maximum time until a command is answered
 */
public record AssociationRequest(
    InetSocketAddress address, String subsystem, String hostName, UUID hostId, Duration limit) {}

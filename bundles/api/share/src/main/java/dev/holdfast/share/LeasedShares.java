package dev.holdfast.share;

import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Ability of a {@link ShareServer} whose processes end without the container. A container that dies
 * leaves its processes and their floating addresses, and the node that takes a share over cannot
 * have an address that another host still answers for. A server with this ability ends what the
 * container does not prolong in time. Implemented by the service itself.
 *
 * @since 1.0
 */
@ConsumerType
public interface LeasedShares {
  /**
   * Lets the processes of all shares of this node serve until the next call, at most for a time.
   * After that time their floating addresses are removed and they are killed, also when the
   * container has ended. Mounts and devices stay for the next container, which finds dead
   * processes. May come at any time, and comes twice a second: it must not wait for a process, a
   * device or the store.
   *
   * @param limit counted from this call, at least 1 s; empty: without a limit
   * @throws StorageException IO: the former time counts
   */
  void prolong(Optional<Duration> limit) throws StorageException;
}

package dev.holdfast.share;

import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Ability of a {@link ShareServer} whose processes end without the container. A dead container
 * leaves its processes and their floating addresses behind. The node that takes over a share cannot
 * use an address that another host still answers for. A server with this ability ends processes
 * that the container does not prolong in time. Implemented by the service itself.
 *
 * @since 1.0
 */
@ConsumerType
public interface LeasedShares {
  /**
   * Permits the processes of all shares of this node to serve until the next call, at most for the
   * given time. After that time their floating addresses are removed and the processes are killed,
   * also if the container has ended. Mounts and devices remain for the next container, which finds
   * dead processes. Called twice a second at any time; must not wait for a process, a device or the
   * store.
   *
   * @param limit time from this call, at least 1 s; empty for no limit
   * @throws StorageException IO: the former limit remains
   */
  void prolong(Optional<Duration> limit) throws StorageException;
}

package dev.holdfast.sharing.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.share.ShareManager;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Ports of shares. A port is chosen once, because the endpoint must stay the same on every node.
 * Two shares never get the same port. Shares for which users chose one port run on different nodes.
 * Thread-safe.
 */
final class SharePorts {
  /** Port of a share with a separate address. */
  private static final int WELL_KNOWN = 2049;

  private static final int FIRST = 20_490;
  private static final int LAST = 24_585;

  private final Map<Integer, String> reserved = new ConcurrentHashMap<>();

  /** Reads all shares of the store. */
  interface Shares {
    List<ShareManager> list() throws StorageException;
  }

  /**
   * Chooses a port that no other share has, and reserves it until {@link #release}.
   *
   * @throws StorageException NO_SPACE if all ports are used
   */
  int choose(ShareManager share, Shares shares) throws StorageException {
    if (!share.spec().address().isEmpty()) {
      return WELL_KNOWN;
    }
    Set<Integer> taken = ports(shares);
    for (int port = FIRST; port <= LAST; port++) {
      if (!taken.contains(port) && reserve(port, share.name())) {
        // A share that was recorded since the first read has released its reservation.
        if (!ports(shares).contains(port)) {
          return port;
        }
        reserved.remove(port, share.name());
      }
    }
    throw new StorageException(
        ErrorCode.NO_SPACE,
        "share "
            + share.name()
            + ": all ports from "
            + FIRST
            + " to "
            + LAST
            + " are taken: set spec.port");
  }

  private static Set<Integer> ports(Shares shares) throws StorageException {
    return shares.list().stream()
        .map(share -> share.spec().port())
        .collect(Collectors.toUnmodifiableSet());
  }

  private boolean reserve(int port, String name) {
    String holder = reserved.putIfAbsent(port, name);
    return holder == null || holder.equals(name);
  }

  /** Releases a reservation, because the store has the port of the share, or the share is gone. */
  void release(String share) {
    reserved.values().removeIf(share::equals);
  }

  /** Returns the nodes on which another share has the port of this one at the same address. */
  static Set<String> occupied(ShareManager share, List<ShareManager> all) {
    return all.stream()
        .filter(other -> !other.name().equals(share.name()))
        .filter(other -> other.spec().port() == share.spec().port())
        .filter(other -> other.spec().address().equals(share.spec().address()))
        .map(other -> other.status().nodeID())
        .filter(node -> !node.isEmpty())
        .collect(Collectors.toSet());
  }
}

package dev.holdfast.http.internal.connection;

import dev.holdfast.http.ConnectionRefusal;
import dev.holdfast.http.HttpLimits;
import java.net.InetAddress;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the connections and selects those to close. If too many are half open or unauthenticated,
 * the oldest of an address is closed, because a well-behaved client needs only milliseconds for
 * both. Of several addresses, the one with most connections loses one, so that a flood does not
 * displace clients of other addresses. Thread-safe.
 */
public final class ConnectionAccounts {
  private static final int KNOWN_ADDRESSES = 1024;
  private static final float LOAD = 0.75f;

  private final HttpLimits.Connections limits;
  private final Map<ConnectionRefusal, LongAdder> refusals = new EnumMap<>(ConnectionRefusal.class);
  private final Map<HttpConnection, Stage> open = new HashMap<>();
  private final ByAddress halfOpen = new ByAddress();
  private final ByAddress withoutCredential = new ByAddress();

  /** Addresses with a valid credential; the least recently used one is discarded. */
  private final Map<InetAddress, Boolean> known =
      new LinkedHashMap<>(16, LOAD, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetAddress, Boolean> eldest) {
          return size() > KNOWN_ADDRESSES;
        }
      };

  /** Stage of a connection. */
  private enum Stage {
    HALF_OPEN,
    WITHOUT_CREDENTIAL,
    IDENTIFIED
  }

  /** Connections of each address in the order of their arrival. */
  private static final class ByAddress {
    private final Map<InetAddress, Set<HttpConnection>> of = new LinkedHashMap<>();

    void add(HttpConnection connection) {
      of.computeIfAbsent(connection.address(), a -> new LinkedHashSet<>()).add(connection);
    }

    void remove(HttpConnection connection) {
      Set<HttpConnection> siblings = of.getOrDefault(connection.address(), Set.of());
      if (siblings.contains(connection)) {
        siblings.remove(connection);
        if (siblings.isEmpty()) {
          of.remove(connection.address());
        }
      }
    }

    /**
     * Returns one of the address with most connections, if all addresses together reach a limit.
     */
    Optional<HttpConnection> oldest(int most) {
      int all = of.values().stream().mapToInt(Set::size).sum();
      return all < most
          ? Optional.empty()
          : of.values().stream()
              .max(Comparator.comparingInt(Set::size))
              .flatMap(siblings -> siblings.stream().findFirst());
    }

    Optional<HttpConnection> oldest(InetAddress address, int most) {
      Set<HttpConnection> siblings = of.getOrDefault(address, Set.of());
      return siblings.size() < most ? Optional.empty() : siblings.stream().findFirst();
    }
  }

  /** Creates empty accounts. */
  public ConnectionAccounts(HttpLimits.Connections limits) {
    this.limits = limits;
    for (ConnectionRefusal reason : ConnectionRefusal.values()) {
      refusals.put(reason, new LongAdder());
    }
  }

  /** Adds a new connection; returns false if it must be closed. */
  boolean admit(HttpConnection connection) {
    Optional<HttpConnection> gone;
    synchronized (this) {
      InetAddress address = connection.address();
      int most = limits.all() - (isKnown(address) ? 0 : limits.reserved());
      if (open.size() >= most) {
        count(ConnectionRefusal.CONNECTIONS);
        return false;
      }
      gone =
          halfOpen
              .oldest(address, limits.halfOpenOfAddress())
              .or(() -> halfOpen.oldest(limits.halfOpen()));
      gone.ifPresent(this::forget);
      open.put(connection, Stage.HALF_OPEN);
      halfOpen.add(connection);
    }
    gone.ifPresent(
        oldest -> {
          count(ConnectionRefusal.HALF_OPEN);
          oldest.abort();
        });
    return true;
  }

  private boolean isKnown(InetAddress address) {
    return address.isLoopbackAddress() || known.containsKey(address);
  }

  /** Records the end of the handshake. */
  void secured(HttpConnection connection) {
    Optional<HttpConnection> gone;
    synchronized (this) {
      if (!open.replace(connection, Stage.HALF_OPEN, Stage.WITHOUT_CREDENTIAL)) {
        return;
      }
      halfOpen.remove(connection);
      gone = withoutCredential.oldest(connection.address(), limits.withoutCredentialOfAddress());
      gone.ifPresent(this::forget);
      withoutCredential.add(connection);
    }
    gone.ifPresent(
        oldest -> {
          count(ConnectionRefusal.WITHOUT_CREDENTIAL);
          oldest.abort();
        });
  }

  /** Records a valid credential of the client. */
  synchronized void identified(HttpConnection connection) {
    if (open.replace(connection, Stage.WITHOUT_CREDENTIAL, Stage.IDENTIFIED)) {
      withoutCredential.remove(connection);
      known.put(connection.address(), true);
    }
  }

  /** Records the end of the connection. */
  synchronized void ended(HttpConnection connection) {
    forget(connection);
  }

  private void forget(HttpConnection connection) {
    open.remove(connection);
    halfOpen.remove(connection);
    withoutCredential.remove(connection);
  }

  /** Counts a refused client. */
  void count(ConnectionRefusal reason) {
    refusals.get(reason).increment();
  }

  /** Returns the number of refused clients by reason. */
  public Map<ConnectionRefusal, Long> refusals() {
    Map<ConnectionRefusal, Long> counts = new EnumMap<>(ConnectionRefusal.class);
    refusals.forEach((reason, count) -> counts.put(reason, count.sum()));
    return counts;
  }

  /** Returns the number of open connections. */
  public synchronized int open() {
    return open.size();
  }
}

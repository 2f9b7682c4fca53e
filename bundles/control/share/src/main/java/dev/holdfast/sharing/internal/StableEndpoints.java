package dev.holdfast.sharing.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.StableServices;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Endpoints of shares for clients: the endpoint of a service with a fixed address if the
 * orchestrator provides one, otherwise that of the share's node. A share with a floating address
 * needs no service. A service is checked again after {@link #AGAIN}, because a user may have
 * deleted it. Thread-safe.
 */
final class StableEndpoints {
  private static final Logger LOG = LoggerFactory.getLogger(StableEndpoints.class);
  private static final Duration AGAIN = Duration.ofMinutes(1);

  private final Optional<StableServices> services;
  private final Map<String, Directed> directed = new ConcurrentHashMap<>();

  StableEndpoints(Optional<StableServices> services) {
    this.services = services;
  }

  /**
   * A service that was directed to the node of a share.
   *
   * @param endpoint of the share's node
   * @param stable endpoint for clients
   * @param at time of that
   */
  private record Directed(String endpoint, String stable, Instant at) {
    boolean isFor(String present, Instant now) {
      Duration age = Duration.between(at, now);
      return endpoint.equals(present) && !age.isNegative() && age.compareTo(AGAIN) < 0;
    }
  }

  /** Returns the endpoint for clients; empty if its service must be directed first. */
  Optional<String> known(ShareManager share, Instant now) {
    String endpoint = share.status().endpoint();
    if (endpoint.isEmpty() || services.isEmpty() || !share.spec().address().isEmpty()) {
      return Optional.of(endpoint);
    }
    return Optional.ofNullable(directed.get(share.name()))
        .filter(last -> last.isFor(endpoint, now))
        .map(Directed::stable);
  }

  /**
   * Directs the service and returns the endpoint for clients.
   *
   * @throws StorageException UNREACHABLE, TIMEOUT, CONFLICT, as {@link StableServices#direct}
   */
  String of(ShareManager share, Instant now) throws StorageException {
    Optional<String> known = known(share, now);
    if (known.isPresent()) {
      return known.get();
    }
    String stable = direct(share.name(), share.status().endpoint());
    directed.put(share.name(), new Directed(share.status().endpoint(), stable, now));
    return stable;
  }

  private String direct(String share, String endpoint) throws StorageException {
    URI server = URI.create(endpoint);
    String host = server.getHost().replaceAll("[\\[\\]]", "");
    try {
      return services
          .orElseThrow()
          .direct(share, host, server.getPort())
          .map(service -> server.getScheme() + "://" + service + server.getPath())
          .orElse(endpoint);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.FORBIDDEN) {
        throw e;
      }
      LOG.warn("share {}: clients use the address of its node: {}", share, e.getMessage());
      return endpoint;
    }
  }

  /** Removes the service of a share that ends. */
  void remove(String share) throws StorageException {
    directed.remove(share);
    if (services.isEmpty()) {
      return;
    }
    try {
      services.get().remove(share);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.FORBIDDEN) {
        throw e;
      }
      LOG.warn("share {}: could not remove its Kubernetes service: {}", share, e.getMessage());
    }
  }
}

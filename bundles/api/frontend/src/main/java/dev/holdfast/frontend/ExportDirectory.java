package dev.holdfast.frontend;

import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Locates exports on all nodes. A service that the portal uses for frontends whose protocol
 * redirects initiators. Thread-safe.
 *
 * @since 1.3
 */
@ConsumerType
public interface ExportDirectory {

  /**
   * Returns the address of an export from memory without blocking. The result may be outdated; the
   * node at that address then redirects initiators again.
   *
   * @param frontend name of the frontend, not null
   * @param export name, not null
   * @return its endpoint on the node that publishes it through that frontend, or empty
   */
  Optional<URI> endpoint(String frontend, String export);

  /**
   * Returns all exports that a frontend publishes on any node, from memory without blocking. The
   * result may be outdated.
   *
   * @param frontend name of the frontend, not null
   * @return endpoints by export name, never null; empty when unknown
   */
  default Map<String, URI> endpoints(String frontend) {
    return Map.of();
  }
}

package dev.holdfast.frontend;

import java.net.URI;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Knows where volumes are shown, on any node. A service that the portal asks for frontends whose
 * protocol sends initiators elsewhere. Thread-safe.
 *
 * @since 1.3
 */
@ConsumerType
public interface ExportDirectory {

  /**
   * Returns where initiators find an export, from memory and without waiting. The result may be
   * outdated; the node there redirects initiators again.
   *
   * @param frontend name of the frontend, not null
   * @param export name, not null
   * @return its endpoint on the node that publishes it through that frontend, or empty
   */
  Optional<URI> endpoint(String frontend, String export);

  /**
   * Returns all exports that a frontend publishes on any node, from memory and without waiting. The
   * result may be outdated.
   *
   * @param frontend name of the frontend, not null
   * @return endpoints by the exports' names, never null; empty when unknown
   */
  default Map<String, URI> endpoints(String frontend) {
    return Map.of();
  }
}

package dev.holdfast.frontend;

import dev.holdfast.block.BlockDevice;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/** The published exports of one frontend. Thread-safe. */
@ProviderType
public interface ExportCatalogue {

  /** Returns the names of all exports in alphabetical order, never null. */
  List<String> names();

  /**
   * Finds an export to describe it to a client, without binding a connection.
   *
   * @param export name, not null
   * @return its device, for queries of size and block size, or empty
   */
  Optional<BlockDevice> find(String export);

  /**
   * Returns the address of an export, for clients that discover targets.
   *
   * @param export name, not null
   * @return its endpoint with the advertised address, or empty if the export does not exist
   * @since 1.3
   */
  Optional<URI> endpoint(String export);

  /**
   * Returns the address of an export of another node, as far as this node knows it. A frontend
   * redirects clients to it.
   *
   * @param export name, not null
   * @return its endpoint on the other node; empty if this node or no known node publishes it
   * @since 1.3
   */
  default Optional<URI> elsewhere(String export) {
    return Optional.empty();
  }

  /**
   * Returns all known exports of other nodes, for clients that discover targets.
   *
   * @return endpoints on the other nodes by export name, in alphabetical order, never null
   * @since 1.3
   */
  default Map<String, URI> elsewhere() {
    return Map.of();
  }
}

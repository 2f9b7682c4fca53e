package dev.holdfast.frontend;

import dev.holdfast.block.BlockDevice;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/** Exports that are published through one frontend. Thread-safe. */
@ProviderType
public interface ExportCatalogue {

  /** Returns the names of all exports in alphabetical order, never null. */
  List<String> names();

  /**
   * Looks an export up without tying anything to it, to describe it to a client.
   *
   * @param export name, not null
   * @return its device, whose size and block size may be asked, or empty
   */
  Optional<BlockDevice> find(String export);

  /**
   * Returns where initiators find an export, for clients that discover targets.
   *
   * @param export name, not null
   * @return its endpoint with the advertised address, or empty when there is no such export
   * @since 1.3
   */
  Optional<URI> endpoint(String export);

  /**
   * Returns where initiators find an export that another node publishes, as far as this node knows.
   * A frontend redirects clients to it.
   *
   * @param export name, not null
   * @return its endpoint there, or empty when it is shown here or nowhere
   * @since 1.3
   */
  default Optional<URI> elsewhere(String export) {
    return Optional.empty();
  }

  /**
   * Returns all exports that other nodes publish, as far as this node knows, for clients that
   * discover targets.
   *
   * @return endpoints there by the exports' names, in alphabetical order, never null
   * @since 1.3
   */
  default Map<String, URI> elsewhere() {
    return Map.of();
  }
}

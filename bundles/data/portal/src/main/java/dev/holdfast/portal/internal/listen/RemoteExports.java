package dev.holdfast.portal.internal.listen;

import dev.holdfast.frontend.ExportDirectory;
import dev.holdfast.portal.internal.session.FrontendServices;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Exports of a frontend on other nodes, from the cluster's directory.
 *
 * @param frontend name of the frontend
 * @param context provides the directory
 * @param services services of the frontend
 * @param shown returns whether this node exports a volume
 */
record RemoteExports(
    String frontend, PortalContext context, FrontendServices services, Predicate<String> shown) {

  /** Returns the endpoint of an export, unless this node has it. */
  Optional<URI> endpoint(String export, int port) {
    return context
        .directory()
        .get()
        .filter(directory -> !shown.test(export))
        .flatMap(directory -> directory.endpoint(frontend, export))
        .filter(endpoint -> !isHere(endpoint, export, port));
  }

  /** Returns the endpoints of all exports that this node does not have. */
  SortedMap<String, URI> endpoints(int port) {
    Optional<ExportDirectory> directory = context.directory().get();
    SortedMap<String, URI> found =
        new TreeMap<>(directory.map(known -> known.endpoints(frontend)).orElse(Map.of()));
    found
        .entrySet()
        .removeIf(one -> shown.test(one.getKey()) || isHere(one.getValue(), one.getKey(), port));
    return found;
  }

  /**
   * The directory may list an export that this node will publish again; the address of this
   * listener identifies it.
   */
  private boolean isHere(URI endpoint, String export, int port) {
    String host = context.settings().advertisedAddress();
    return services
        .first()
        .map(service -> service.frontend().endpoint(host, port, export))
        .filter(endpoint::equals)
        .isPresent();
  }
}

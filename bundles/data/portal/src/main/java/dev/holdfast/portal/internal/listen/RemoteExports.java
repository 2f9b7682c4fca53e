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
 * @param frontend its name
 * @param context has the directory
 * @param services of the frontend
 * @param shown whether an export is shown by this node
 */
record RemoteExports(
    String frontend, PortalContext context, FrontendServices services, Predicate<String> shown) {

  /** Returns where an export is, unless this node shows it. */
  Optional<URI> endpoint(String export, int port) {
    return context
        .directory()
        .get()
        .filter(directory -> !shown.test(export))
        .flatMap(directory -> directory.endpoint(frontend, export))
        .filter(endpoint -> !isHere(endpoint, export, port));
  }

  /** Returns where all exports are that this node does not show. */
  SortedMap<String, URI> endpoints(int port) {
    Optional<ExportDirectory> directory = context.directory().get();
    SortedMap<String, URI> found =
        new TreeMap<>(directory.map(known -> known.endpoints(frontend)).orElse(Map.of()));
    found
        .entrySet()
        .removeIf(one -> shown.test(one.getKey()) || isHere(one.getValue(), one.getKey(), port));
    return found;
  }

  /** An export that this node publishes again next is recognized by the name of this listener. */
  private boolean isHere(URI endpoint, String export, int port) {
    String host = context.settings().advertisedAddress();
    return services
        .first()
        .map(service -> service.frontend().endpoint(host, port, export))
        .filter(endpoint::equals)
        .isPresent();
  }
}

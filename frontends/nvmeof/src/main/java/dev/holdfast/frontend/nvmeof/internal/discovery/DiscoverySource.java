package dev.holdfast.frontend.nvmeof.internal.discovery;

import dev.holdfast.frontend.ExportCatalogue;
import dev.holdfast.frontend.nvmeof.internal.page.DiscoveryLog.Kind;
import dev.holdfast.frontend.nvmeof.internal.page.DiscoveryLog.Place;
import dev.holdfast.frontend.nvmeof.internal.page.DiscoveryLog.Security;
import dev.holdfast.frontend.nvmeof.internal.wire.NvmeNames;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Exports that hosts can discover: volumes of this node at the advertised address, volumes of other
 * nodes at theirs, and referrals to other discovery controllers. A host that discovered a volume
 * here thus learns to which node it moved (Base 2.0, 3.1.2.3: a Discovery controller reports the
 * subsystems that a host can reach, not only those behind its own port). Thread-safe.
 *
 * @param referrals addresses of other nodes as {@code host:port}
 * @param resolved cache of resolved host names
 */
public record DiscoverySource(List<URI> referrals, Map<String, String> resolved) {
  private static final int DISCOVERY_PORT = 8009;

  /**
   * Reads the setting.
   *
   * @param setting {@code host[:port]}, separated by commas; empty for none
   * @throws IllegalArgumentException when the setting is malformed
   */
  public static DiscoverySource of(String setting) {
    List<URI> referrals = new ArrayList<>();
    for (String one : setting.split(",", -1)) {
      if (!one.isBlank()) {
        URI uri = URI.create("nvme://" + one.strip());
        if (uri.getHost() == null) {
          throw new IllegalArgumentException("'" + one + "' is neither a host nor host:port");
        }
        referrals.add(uri);
      }
    }
    return new DiscoverySource(List.copyOf(referrals), new ConcurrentHashMap<>());
  }

  /** Returns all records; assumes that other nodes have the same TLS policy as this one. */
  List<Place> records(ExportCatalogue exports, Security security) {
    List<Place> records = new ArrayList<>();
    for (String export : exports.names()) {
      exports
          .endpoint(export)
          .ifPresent(endpoint -> records.add(volume(endpoint, export, security)));
    }
    exports
        .elsewhere()
        .forEach(
            (export, endpoint) -> {
              if (endpoint.getHost() != null && endpoint.getPort() > 0) {
                records.add(volume(endpoint, export, security));
              }
            });
    for (URI referral : referrals) {
      int port = referral.getPort() < 0 ? DISCOVERY_PORT : referral.getPort();
      records.add(
          new Place(
              Kind.REFERRAL,
              address(referral.getHost()),
              port,
              NvmeNames.DISCOVERY,
              Security.NOT_SPECIFIED));
    }
    return records;
  }

  private Place volume(URI at, String export, Security security) {
    String subsystem = NvmeNames.subsystem(export);
    return new Place(Kind.VOLUMES, address(at.getHost()), at.getPort(), subsystem, security);
  }

  /**
   * Kernels accept only addresses. An unresolved name is left as it is, for tools that resolve
   * names.
   */
  private String address(String host) {
    String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    return resolved.computeIfAbsent(
        bare,
        name -> {
          try {
            return InetAddress.getByName(name).getHostAddress();
          } catch (UnknownHostException e) {
            return name;
          }
        });
  }
}

package dev.holdfast.engine.export;

import java.util.List;
import java.util.Objects;

/**
 * How a volume is to be shown by {@link ExportingVolume#export}.
 *
 * @param protocol one of {@link ExportingVolume#protocols}, not null
 * @param export name that hosts request, not null, not empty
 * @param hosts the hosts that may connect, empty for none; not null
 * @param security requirements for connections, not null
 * @param limits total limits for all hosts, not null
 * @param access state of this path, not null
 * @param pathId number of this path among those of the export, from 0 to 65535; nodes that show one
 *     export use different numbers (NVMe: a range of controller ids)
 * @since 1.0
 */
public record ExportRequest(
    String protocol,
    String export,
    List<ExportHost> hosts,
    ExportSecurity security,
    ExportLimits limits,
    PathAccess access,
    int pathId) {
  /** Copies the list and checks the values. */
  public ExportRequest {
    Objects.requireNonNull(protocol, "protocol");
    Objects.requireNonNull(export, "export");
    hosts = List.copyOf(hosts);
    Objects.requireNonNull(security, "security");
    Objects.requireNonNull(limits, "limits");
    Objects.requireNonNull(access, "access");
    if (export.isEmpty()) {
      throw new IllegalArgumentException("export: must not be empty");
    }
    if (pathId < 0 || pathId > 65_535) {
      throw new IllegalArgumentException("pathId: must be from 0 to 65535: " + pathId);
    }
  }

  /**
   * Returns a request for hosts without credentials, limits and other paths.
   *
   * @param protocol one of {@link ExportingVolume#protocols}, not null
   * @param export name that hosts request, not null, not empty
   * @param hosts the hosts that may connect, not null
   * @return the request, never null
   */
  public static ExportRequest of(String protocol, String export, List<ExportHost> hosts) {
    return new ExportRequest(
        protocol, export, hosts, ExportSecurity.NONE, ExportLimits.NONE, PathAccess.OPTIMIZED, 0);
  }

  /**
   * Returns this request with other hosts.
   *
   * @param allowed the hosts that may connect, not null
   * @return the request, never null
   */
  public ExportRequest withHosts(List<ExportHost> allowed) {
    return new ExportRequest(protocol, export, allowed, security, limits, access, pathId);
  }

  /**
   * Returns this request with other limits.
   *
   * @param kept total limits for all hosts, not null
   * @return the request, never null
   */
  public ExportRequest withLimits(ExportLimits kept) {
    return new ExportRequest(protocol, export, hosts, security, kept, access, pathId);
  }

  /**
   * Returns this request with another access state.
   *
   * @param state of this path, not null
   * @return the request, never null
   */
  public ExportRequest withAccess(PathAccess state) {
    return new ExportRequest(protocol, export, hosts, security, limits, state, pathId);
  }
}

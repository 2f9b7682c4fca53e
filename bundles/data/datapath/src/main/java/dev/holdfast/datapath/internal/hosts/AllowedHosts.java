package dev.holdfast.datapath.internal.hosts;

import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportSecurity;
import java.util.List;

/**
 * The hosts that may use an export.
 *
 * @param hosts with their credentials
 * @param security requirements for every connection
 */
public record AllowedHosts(List<ExportHost> hosts, ExportSecurity security) {
  /** Programs of the host on which the engine runs, without a credential. */
  static final AllowedHosts LOCAL =
      new AllowedHosts(List.of(ExportHost.LOCAL), ExportSecurity.NONE);

  /** Copies the list. */
  public AllowedHosts {
    hosts = List.copyOf(hosts);
  }

  /** Returns a request with these hosts instead of its own. */
  public ExportRequest in(ExportRequest request) {
    return new ExportRequest(
        request.protocol(),
        request.export(),
        hosts,
        security,
        request.limits(),
        request.access(),
        request.pathId());
  }

  /** Returns a remark for users; empty when hosts may connect. */
  public String remark(String volume) {
    return hosts.isEmpty()
        ? "no host may connect, because no client of the volume has "
            + (security.tlsRequired() ? "the keys that this node requires" : "a key on this node")
            + ": holdfast client add NAME --volume "
            + volume
            + " --nqn NQN --directory DIR"
        : "";
  }
}

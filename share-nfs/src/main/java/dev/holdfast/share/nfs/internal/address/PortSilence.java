package dev.holdfast.share.nfs.internal.address;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a port of this host silent while its server is away. Without it the kernel answers a client
 * that the port is closed, and the client's next attempt comes 3 s later or more. With it the
 * client's packets stay unanswered until the server listens. A routing rule drops what the port
 * sends, so that no firewall is needed. Clients on the same host are not affected. Stateless.
 */
public final class PortSilence {
  private static final Logger LOG = LoggerFactory.getLogger(PortSilence.class);

  /** Before the rules of administrators, whose numbers are usually larger. */
  private static final String PRIORITY = "10";

  private static final int MOST_RULES = 10;

  private final HostAddresses addresses;
  private final String ip;
  private final int port;

  /**
   * Works on a port of an address.
   *
   * @param ip numeric; the port of an IPv6 address is never silenced
   */
  public PortSilence(Host host, String ip, int port) {
    this.addresses = new HostAddresses(host);
    this.ip = ip;
    this.port = port;
  }

  /** Makes the port silent. Where the host cannot do that, clients only reconnect later. */
  public void begin() {
    if (ip.contains(":")) {
      return;
    }
    try {
      String unused = addresses.ip(rule("add"));
    } catch (StorageException e) {
      if (!e.getMessage().contains("File exists")) {
        LOG.warn("port {} of {}: could not silence: {}", port, ip, e.getMessage());
      }
    }
  }

  /**
   * Lets the port answer. Succeeds when it is not silent.
   *
   * @throws StorageException UNSUPPORTED; TIMEOUT
   */
  public void end() throws StorageException {
    if (ip.contains(":")) {
      return;
    }
    int removed = 0;
    while (removed < MOST_RULES
        && addresses.run("ip", "iproute2", rule("delete")).exitCode() == 0) {
      removed++;
    }
  }

  private String[] rule(String verb) {
    return new String[] {
      "-4",
      "rule",
      verb,
      "priority",
      PRIORITY,
      "from",
      ip,
      "ipproto",
      "tcp",
      "sport",
      Integer.toString(port),
      "blackhole"
    };
  }
}

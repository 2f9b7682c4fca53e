package dev.holdfast.engine.spdk.internal.calls;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.InetSocketAddress;

/**
 * An NVMe/TCP address of the target.
 *
 * @param host IPv4 or IPv6 address as a literal, not null
 * @param port from 1 to 65535
 */
public record TargetListener(String host, int port) {
  public void describe(ObjectNode address) {
    address
        .put("trtype", "TCP")
        .put("adrfam", host.indexOf(':') < 0 ? "IPv4" : "IPv6")
        .put("traddr", host)
        .put("trsvcid", Integer.toString(port));
  }

  /** Returns the address to which hosts connect. */
  public InetSocketAddress address() {
    return new InetSocketAddress(host, port);
  }
}

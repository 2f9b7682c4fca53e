package dev.holdfast.certificates.internal;

import dev.holdfast.error.StorageException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/** Names in the certificate of a node. */
public final class NodeNames {
  private NodeNames() {}

  /** Returns the names for a certificate: the node, its addresses and loopback. */
  public static List<String> of(String node, Collection<String> addresses) throws StorageException {
    List<String> names = new ArrayList<>(List.of("localhost", "127.0.0.1", "::1", node));
    for (String address : addresses) {
      if (address.equals("0.0.0.0") || address.equals("::")) {
        names.addAll(ownAddresses());
      } else if (!address.isBlank()) {
        names.add(address.strip());
      }
    }
    return names.stream().distinct().toList();
  }

  private static List<String> ownAddresses() throws StorageException {
    List<String> addresses = new ArrayList<>();
    try {
      for (NetworkInterface device : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        for (InetAddress address : Collections.list(device.getInetAddresses())) {
          if (!address.isLinkLocalAddress()) {
            addresses.add(address.getHostAddress());
          }
        }
      }
      return addresses;
    } catch (SocketException e) {
      throw StorageException.io("list the addresses of this machine", e);
    }
  }
}

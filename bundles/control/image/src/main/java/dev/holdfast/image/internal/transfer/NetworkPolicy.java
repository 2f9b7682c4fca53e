package dev.holdfast.image.internal.transfer;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.AddressRule;
import dev.holdfast.resource.cluster.PlatformSettings;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Refuses addresses that are not of public servers: addresses of this machine, of private networks,
 * of the nodes, and special addresses. A setting permits networks.
 */
public final class NetworkPolicy implements AddressRule {
  /** Name of the setting with the allowed networks. */
  private static final String SETTING = PlatformSettings.IMAGE_NETWORKS.name();

  private static final List<Network> SPECIAL =
      List.of(
          Network.of("0.0.0.0/8"),
          Network.of("10.0.0.0/8"),
          Network.of("100.64.0.0/10"),
          Network.of("127.0.0.0/8"),
          Network.of("169.254.0.0/16"),
          Network.of("172.16.0.0/12"),
          Network.of("192.0.0.0/24"),
          Network.of("192.0.2.0/24"),
          Network.of("192.168.0.0/16"),
          Network.of("198.18.0.0/15"),
          Network.of("198.51.100.0/24"),
          Network.of("203.0.113.0/24"),
          Network.of("224.0.0.0/3"),
          Network.of("::/128"),
          Network.of("::1/128"),
          Network.of("::/96"),
          Network.of("64:ff9b::/96"),
          Network.of("64:ff9b:1::/48"),
          Network.of("100::/64"),
          Network.of("2001::/23"),
          Network.of("2001:db8::/32"),
          Network.of("2002::/16"),
          Network.of("fc00::/7"),
          Network.of("fe80::/9"),
          Network.of("ff00::/8"));

  private final List<Network> allowed;
  private final Set<InetAddress> nodes;

  private NetworkPolicy(List<Network> allowed, Set<InetAddress> nodes) {
    this.allowed = List.copyOf(allowed);
    this.nodes = Set.copyOf(nodes);
  }

  /**
   * Returns the policy of a cluster.
   *
   * @param networks value of the setting: networks such as 10.1.0.0/16, separated by commas
   * @param nodes addresses of the nodes
   * @throws StorageException INVALID if the setting is wrong
   */
  public static NetworkPolicy of(String networks, Set<InetAddress> nodes) throws StorageException {
    List<Network> allowed = new ArrayList<>();
    for (String text : networks.split(",", -1)) {
      if (!text.isBlank()) {
        try {
          allowed.add(Network.of(text.strip()));
        } catch (IllegalArgumentException e) {
          throw new StorageException(
              ErrorCode.INVALID, "setting " + SETTING + ": " + e.getMessage(), e);
        }
      }
    }
    return new NetworkPolicy(allowed, nodes);
  }

  @Override
  public void require(InetAddress address) throws StorageException {
    InetAddress plain = Network.plain(address);
    if (allowed.stream().anyMatch(network -> network.contains(plain))) {
      return;
    }
    boolean special = SPECIAL.stream().anyMatch(network -> network.contains(plain));
    if (special || nodes.contains(plain) || hasScope(plain)) {
      throw new StorageException(
          ErrorCode.FORBIDDEN,
          "the address "
              + address.getHostAddress()
              + " is "
              + (nodes.contains(plain) ? "one of a node" : "not a public one")
              + ": download from another server, or add its network to the setting "
              + SETTING);
    }
  }

  private static boolean hasScope(InetAddress address) {
    return address instanceof Inet6Address six && six.getScopeId() != 0;
  }

  /**
   * A network.
   *
   * @param prefix the bytes of its first address
   * @param bits number of significant bits
   */
  private record Network(List<Byte> prefix, int bits) {
    static Network of(String text) {
      String[] parts = text.split("/", -1);
      // Without this check, names would be resolved.
      boolean literal = parts[0].matches("[0-9.]+") || parts[0].matches("[0-9A-Fa-f:.]*:.*");
      if (!literal || parts.length > 2) {
        throw new IllegalArgumentException(text + " is not a network such as 10.1.0.0/16");
      }
      try {
        byte[] address = InetAddress.getByName(parts[0]).getAddress();
        int bits = parts.length == 1 ? address.length * 8 : Integer.parseInt(parts[1]);
        if (bits < 0 || bits > address.length * 8) {
          throw new IllegalArgumentException(
              text + " has a wrong prefix: expected 0 to " + address.length * 8);
        }
        return new Network(bytes(address), bits);
      } catch (java.net.UnknownHostException | NumberFormatException e) {
        throw new IllegalArgumentException(text + " is not a network such as 10.1.0.0/16", e);
      }
    }

    /** Returns the IPv4 address that an IPv6 address embeds. */
    static InetAddress plain(InetAddress address) {
      byte[] bytes = address.getAddress();
      boolean mapped =
          bytes.length == 16
              && bytes[10] == -1
              && bytes[11] == -1
              && Arrays.equals(bytes, 0, 10, new byte[10], 0, 10);
      if (!mapped) {
        return address;
      }
      try {
        return InetAddress.getByAddress(Arrays.copyOfRange(bytes, 12, 16));
      } catch (java.net.UnknownHostException e) {
        throw new IllegalStateException(e);
      }
    }

    private static List<Byte> bytes(byte[] array) {
      List<Byte> list = new ArrayList<>();
      for (byte value : array) {
        list.add(value);
      }
      return List.copyOf(list);
    }

    boolean contains(InetAddress address) {
      byte[] bytes = address.getAddress();
      if (bytes.length != prefix.size()) {
        return false;
      }
      for (int bit = 0; bit < bits; bit++) {
        int mask = 0x80 >>> bit % 8;
        if ((bytes[bit / 8] & mask) != (prefix.get(bit / 8) & mask)) {
          return false;
        }
      }
      return true;
    }
  }
}

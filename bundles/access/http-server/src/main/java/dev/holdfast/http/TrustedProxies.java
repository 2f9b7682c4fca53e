package dev.holdfast.http;

import io.netty.handler.ipfilter.IpFilterRuleType;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Trusted reverse proxies, whose headers name the client and the host of a forwarded request. The
 * same headers from other clients have no effect. Immutable.
 *
 * <pre>
 *  browser ── Host: storage.example ──► proxy ── Host: 10.0.0.1:7443,
 *                                               X-Forwarded-Host: storage.example,
 *                                               X-Forwarded-For: the browser ──► this server
 * </pre>
 */
public final class TrustedProxies {
  /** Trusts no proxies. */
  public static final TrustedProxies NONE = new TrustedProxies(List.of());

  private static final String FOR = "X-Forwarded-For";
  private static final String HOST = "Host";
  private static final String FORWARDED_HOST = "X-Forwarded-Host";

  private final List<IpSubnetFilterRule> networks;

  private TrustedProxies(List<IpSubnetFilterRule> networks) {
    this.networks = List.copyOf(networks);
  }

  /**
   * Parses the value of the setting.
   *
   * @param networks addresses and networks such as {@code 10.0.0.7,fd00::/8}, separated by commas;
   *     empty for none, not null
   * @return the proxies, never null
   * @throws IllegalArgumentException with the invalid network
   */
  public static TrustedProxies of(String networks) {
    List<IpSubnetFilterRule> rules = new ArrayList<>();
    for (String text : networks.split(",", -1)) {
      if (!text.isBlank()) {
        rules.add(rule(text.strip()));
      }
    }
    return new TrustedProxies(rules);
  }

  private static IpSubnetFilterRule rule(String text) {
    String[] parts = text.split("/", 2);
    InetAddress address =
        literal(parts[0])
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        text + ": expected a network such as 10.1.0.0/16"));
    int most = address.getAddress().length * Byte.SIZE;
    try {
      int bits = parts.length == 1 ? most : Integer.parseInt(parts[1]);
      return new IpSubnetFilterRule(address, bits, IpFilterRuleType.ACCEPT);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(text + ": expected a prefix of 0 to " + most + " bits", e);
    }
  }

  /** Parses a literal address without a name look-up. */
  private static Optional<InetAddress> literal(String text) {
    return Optional.ofNullable(NetUtil.createInetAddressFromIpAddressString(text));
  }

  private boolean trusts(InetAddress address) {
    InetSocketAddress socket = new InetSocketAddress(address, 0);
    return networks.stream().anyMatch(network -> network.matches(socket));
  }

  /**
   * Returns a request of a trusted proxy in the form that the client sent: with the address of the
   * client and the requested host, and without the certificate of the proxy.
   *
   * @param head the received head, not null
   * @return the same head if its sender is not trusted, never null
   */
  public HttpRequestHead asSent(HttpRequestHead head) {
    if (!trusts(head.client())) {
      return head;
    }
    Function<String, Optional<String>> headers = head.headers();
    Optional<String> host = headers.apply(FORWARDED_HOST).filter(name -> !name.isBlank());
    return new HttpRequestHead(
        head.method(),
        head.path(),
        head.directory(),
        head.query(),
        name -> HOST.equalsIgnoreCase(name) && host.isPresent() ? host : headers.apply(name),
        client(head.client(), headers.apply(FOR).orElse("")),
        headers.apply(FOR).isPresent() ? List.of() : head.certificates());
  }

  /**
   * Returns the client's address. Each proxy appends the address of its own client, so the list is
   * read from its end.
   */
  private InetAddress client(InetAddress sender, String forwarded) {
    InetAddress client = sender;
    String[] hops = forwarded.split(",", -1);
    for (int i = hops.length - 1; i >= 0 && trusts(client); i--) {
      Optional<InetAddress> hop = literal(hops[i].strip());
      if (hop.isEmpty()) {
        return client;
      }
      client = hop.get();
    }
    return client;
  }
}

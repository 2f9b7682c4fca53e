package dev.holdfast.share.nfs.internal.address;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The client's end of a TCP connection to a share.
 *
 * @param ip numeric address, IPv6 without brackets
 * @param port of the client
 */
public record NfsConnection(String ip, int port) implements Comparable<NfsConnection> {
  private static final Pattern IPV4 =
      Pattern.compile("((?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|(?=:))){4}:(\\d{1,5})");

  private static final int MOST_PORT = 65_535;

  /** Reads what {@link #toString} wrote; empty for any other text, also for IPv6. */
  public static Optional<NfsConnection> parsed(String text) {
    Matcher matcher = IPV4.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int colon = text.indexOf(':');
    int port = Integer.parseInt(text.substring(colon + 1));
    return port < 1 || port > MOST_PORT
        ? Optional.empty()
        : Optional.of(new NfsConnection(text.substring(0, colon), port));
  }

  /** Returns whether the client has an IPv4 address. */
  public boolean isIpv4() {
    return !ip.contains(":");
  }

  @Override
  public int compareTo(NfsConnection other) {
    int byAddress = ip.compareTo(other.ip);
    return byAddress != 0 ? byAddress : Integer.compare(port, other.port);
  }

  @Override
  public String toString() {
    return ip + ":" + port;
  }
}

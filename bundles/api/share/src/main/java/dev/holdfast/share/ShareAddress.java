package dev.holdfast.share;

import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The address at which a share is served.
 *
 * @param ip numeric address, not null
 * @param prefixLength prefix length of a floating address; 0 for the node's own address
 * @param interfaceName interface for a floating address; empty for the node's own address, which
 *     the server does not change
 */
public record ShareAddress(String ip, int prefixLength, String interfaceName) {
  private static final Pattern INTERFACE = Pattern.compile("[^\\s/%]{1,15}");

  /** Rejects null components. */
  public ShareAddress {
    Objects.requireNonNull(ip, "ip");
    Objects.requireNonNull(interfaceName, "interfaceName");
  }

  /** Returns an address that the node has already. */
  public static ShareAddress own(String ip) {
    return new ShareAddress(ip, 0, "");
  }

  /**
   * Parses a floating address as in {@link ShareManagerSpec#address}.
   *
   * @param text IP/LENGTH%INTERFACE, not null
   * @return empty when the text has another form, never null
   */
  public static Optional<ShareAddress> parsed(String text) {
    int slash = text.indexOf('/');
    int percent = text.indexOf('%', slash + 1);
    if (slash < 0 || percent < 0) {
      return Optional.empty();
    }
    String ip = text.substring(0, slash);
    String length = text.substring(slash + 1, percent);
    String name = text.substring(percent + 1);
    return NetworkAddresses.isNetwork(ip, length) && INTERFACE.matcher(name).matches()
        ? Optional.of(new ShareAddress(ip, Integer.parseInt(length), name))
        : Optional.empty();
  }

  /**
   * Returns whether the address is floating, so that the server adds it to an interface and removes
   * it at the end.
   */
  public boolean isFloating() {
    return !interfaceName.isEmpty();
  }
}

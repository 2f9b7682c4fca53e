package dev.holdfast.share;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/** Parser for numeric addresses and networks. Never uses a name server. */
final class NetworkAddresses {
  private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
  private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F.]*:[0-9a-fA-F:.]*");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,3}");

  private NetworkAddresses() {}

  static boolean isHostOrNetwork(String text) {
    int slash = text.indexOf('/');
    return slash < 0
        ? isAddress(text)
        : isNetwork(text.substring(0, slash), text.substring(slash + 1));
  }

  static boolean isAddress(String text) {
    return parsed(text).isPresent();
  }

  static boolean isNetwork(String address, String length) {
    Optional<InetAddress> parsed = parsed(address);
    return parsed.isPresent()
        && NUMBER.matcher(length).matches()
        && Integer.parseInt(length) <= parsed.get().getAddress().length * Byte.SIZE;
  }

  private static Optional<InetAddress> parsed(String text) {
    boolean numeric =
        (IPV4.matcher(text).matches() && areBytes(text)) || IPV6.matcher(text).matches();
    try {
      // Numeric addresses do not cause look-ups.
      return numeric ? Optional.of(InetAddress.getByName(text)) : Optional.empty();
    } catch (UnknownHostException e) {
      // The caller reports the expected form.
      return Optional.empty();
    }
  }

  private static boolean areBytes(String text) {
    for (String part : text.split("\\.", -1)) {
      if (Integer.parseInt(part) > 0xff) {
        return false;
      }
    }
    return true;
  }
}

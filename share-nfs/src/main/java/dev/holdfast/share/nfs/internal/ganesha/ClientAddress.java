package dev.holdfast.share.nfs.internal.ganesha;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * A client's address, or a network of clients. Names are refused: the server would resolve them
 * when it starts, and a name server that is down would then decide who has access.
 *
 * @param address numeric address
 * @param prefix how many of its bits count
 */
public record ClientAddress(InetAddress address, int prefix) {
  private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

  private static final Pattern NUMERIC =
      Pattern.compile(OCTET + "(?:\\." + OCTET + "){3}|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*");

  /**
   * Reads an address such as {@code 10.1.2.3} or a network such as {@code 10.1.0.0/16}, {@code
   * fd00::/8}.
   *
   * @throws StorageException INVALID naming the text and what is expected
   */
  public static ClientAddress parse(String text) throws StorageException {
    String[] parts = text.split("/", -1);
    if (parts.length > 2 || !NUMERIC.matcher(parts[0]).matches()) {
      throw invalid(text);
    }
    try {
      InetAddress address = InetAddress.getByName(parts[0]); // numeric: asks no name server
      int bits = address.getAddress().length * Byte.SIZE;
      int prefix = parts.length == 1 ? bits : prefix(text, parts[1], bits);
      requireNetwork(text, address, prefix);
      return new ClientAddress(address, prefix);
    } catch (UnknownHostException e) {
      throw invalid(text);
    }
  }

  private static int prefix(String text, String digits, int bits) throws StorageException {
    if (!digits.matches("\\d{1,3}") || Integer.parseInt(digits) > bits) {
      throw invalid(text);
    }
    return Integer.parseInt(digits);
  }

  /** Ganesha ignores bits beyond the prefix; a typing error would then open another network. */
  private static void requireNetwork(String text, InetAddress address, int prefix)
      throws StorageException {
    byte[] bytes = address.getAddress();
    for (int bit = prefix; bit < bytes.length * Byte.SIZE; bit++) {
      if ((bytes[bit / Byte.SIZE] & (0x80 >> (bit % Byte.SIZE))) != 0) {
        throw new StorageException(
            ErrorCode.INVALID,
            "allowed client \""
                + text
                + "\": has bits after the first "
                + prefix
                + ": give the address of the network");
      }
    }
  }

  private static StorageException invalid(String text) {
    return new StorageException(
        ErrorCode.INVALID,
        "allowed client \""
            + text.replaceAll("\\p{Cntrl}", "?")
            + "\": expected a numeric address or a network, such as 10.1.2.3 or 10.1.0.0/16");
  }

  /** Returns the notation of Ganesha's configuration. */
  @Override
  public String toString() {
    String numeric = address.getHostAddress();
    return prefix == address.getAddress().length * Byte.SIZE ? numeric : numeric + "/" + prefix;
  }
}

package dev.holdfast.share.nfs.internal.address;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A TCP port of this host, looked up in the kernel's tables: without a program, because a server
 * that opens its port is waited for in small steps. Stateless.
 */
public final class ListeningPort {
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));

  /** Column of the local address, such as 0100007F:0801, and of the state. */
  private static final int LOCAL = 1;

  private static final int STATE = 3;
  private static final String LISTEN = "0A";

  private ListeningPort() {}

  /**
   * Returns whether a program listens on a port of an address, or on that port of all addresses.
   *
   * @param ip numeric IPv4 address
   * @throws StorageException IO
   */
  public static boolean isOpen(String ip, int port) throws StorageException {
    String local = local(ip, port);
    String all = String.format(Locale.ROOT, "0+:%04X", port);
    for (Path table : TABLES) {
      try (Stream<String> lines = Files.lines(table, StandardCharsets.ISO_8859_1)) {
        if (lines
            .map(line -> line.strip().split("\\s+", -1))
            .anyMatch(
                fields ->
                    fields.length > STATE
                        && fields[STATE].equals(LISTEN)
                        && (fields[LOCAL].endsWith(local) || fields[LOCAL].matches(all)))) {
          return true;
        }
      } catch (IOException e) {
        throw StorageException.io(table.toString(), e);
      }
    }
    return false;
  }

  /**
   * The address is printed as one number of this host, and ends an address of IPv6 that maps it.
   */
  private static String local(String ip, int port) throws StorageException {
    try {
      if (InetAddress.getByName(ip) instanceof Inet4Address address) {
        byte[] bytes = address.getAddress();
        return String.format(
            Locale.ROOT, "%02X%02X%02X%02X:%04X", bytes[3], bytes[2], bytes[1], bytes[0], port);
      }
    } catch (IOException e) {
      throw StorageException.io(ip, e);
    }
    throw new IllegalArgumentException("ip: " + ip + ": not an IPv4 address");
  }
}

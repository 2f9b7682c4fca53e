package dev.holdfast.share.nfs.internal.address;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Addresses and ports of a host, by ip(8) and ss(8). Stateless. */
public final class HostAddresses {
  private static final Duration SHORT = Duration.ofSeconds(10);

  /** All of these belong to the host, and only one is listed. */
  private static final String LOOPBACK = "127.";

  private static final String PACKAGE = "iproute2";

  private final Host host;

  /** Works on the addresses of a host. */
  public HostAddresses(Host host) {
    this.host = host;
  }

  /**
   * Checks that the host has an address.
   *
   * @param address numeric
   * @throws StorageException INVALID when it has not; UNSUPPORTED; IO
   */
  public void requireLocal(String address) throws StorageException {
    if (interfaceOf(address).isEmpty() && !address.startsWith(LOOPBACK)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "address "
              + address
              + ": this node does not have it: use one of the node's addresses,"
              + " or a floating address with its interface");
    }
  }

  /** Returns the interface that has an address, empty when none has. */
  Optional<String> interfaceOf(String address) throws StorageException {
    // One line an address: "2: eth0    inet 10.0.0.1/24 brd …"
    return ip("-o", "address", "show", "to", address)
        .lines()
        .map(line -> line.split("\\s+", -1))
        .filter(fields -> fields.length > 1)
        .map(fields -> fields[1])
        .findFirst();
  }

  /**
   * Checks that no other program listens on a port of an address.
   *
   * @throws StorageException BUSY naming the program; UNSUPPORTED; IO
   */
  public void requireFree(String address, int port) throws StorageException {
    String ss = host.require("ss", PACKAGE);
    String listening =
        host.check(ProgramCall.of(SHORT, List.of(ss, "-Hlntp", "sport", "=", ":" + port)));
    for (String line : listening.lines().toList()) {
      String[] fields = line.strip().split("\\s+", -1);
      if (fields.length > 3 && isOn(fields[3], address)) {
        throw new StorageException(
            ErrorCode.BUSY,
            "port "
                + port
                + " of "
                + address
                + " is in use"
                + (fields.length > 5 ? " by " + fields[5] : "")
                + ": choose another port or end that program");
      }
    }
  }

  /**
   * Returns the connections that clients have to a port, sorted.
   *
   * @throws StorageException UNSUPPORTED, IO
   */
  public List<NfsConnection> connections(String address, int port) throws StorageException {
    String ss = host.require("ss", PACKAGE);
    return host.check(
            ProgramCall.of(
                SHORT, List.of(ss, "-Hnt", "state", "established", "sport", "=", ":" + port)))
        .lines()
        .map(line -> line.strip().split("\\s+", -1))
        .filter(fields -> fields.length > 3 && isOn(fields[2], address))
        .map(fields -> client(fields[3]))
        .distinct()
        .sorted()
        .toList();
  }

  private static NfsConnection client(String endpoint) {
    int colon = endpoint.lastIndexOf(':');
    String ip =
        endpoint.substring(0, colon).replaceAll("[\\[\\]]", "").replaceFirst("^::ffff:", "");
    return new NfsConnection(ip, Integer.parseInt(endpoint.substring(colon + 1)));
  }

  /** The local address is such as 0.0.0.0:2049, [::ffff:10.0.0.1]:2049 or *:2049. */
  private static boolean isOn(String local, String address) {
    String listens =
        local.substring(0, local.lastIndexOf(':')).replaceAll("[\\[\\]]", "").replaceAll("%.*", "");
    return List.of("*", "0.0.0.0", "::").contains(listens)
        || listens.replaceFirst("^::ffff:", "").equals(address);
  }

  String ip(String... arguments) throws StorageException {
    return host.check(command("ip", PACKAGE, arguments));
  }

  ProgramResult run(String program, String debianPackage, String... arguments)
      throws StorageException {
    return host.run(command(program, debianPackage, arguments));
  }

  private ProgramCall command(String program, String debianPackage, String... arguments)
      throws StorageException {
    List<String> command = new ArrayList<>();
    command.add(host.require(program, debianPackage));
    command.addAll(List.of(arguments));
    return ProgramCall.of(SHORT, command);
  }
}

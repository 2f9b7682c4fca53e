package dev.holdfast.share.nfs.internal.address;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.share.ShareAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * An address that moves between nodes with its share. Only IPv4: moving needs an announcement to
 * the neighbours, which arping(8) sends. Stateless.
 */
public final class FloatingAddress {
  private static final String ARPING = "iputils-arping";

  private final Host host;
  private final HostAddresses addresses;
  private final ShareAddress address;

  /**
   * Works on an address.
   *
   * @param address floating
   */
  public FloatingAddress(Host host, ShareAddress address) {
    this.host = host;
    this.addresses = new HostAddresses(host);
    this.address = address;
  }

  private String cidr() {
    return address.ip() + "/" + address.prefixLength();
  }

  /**
   * Puts the address on its interface, unless it is there.
   *
   * @throws StorageException BUSY when another host, or another interface of this one, has it;
   *     INVALID when the interface is absent or the address is not IPv4; IO
   */
  public void add() throws StorageException {
    if (address.ip().contains(":")) {
      throw new StorageException(
          ErrorCode.INVALID, "address: " + address.ip() + ": a floating address must be IPv4");
    }
    requireInterface();
    Optional<String> present = addresses.interfaceOf(address.ip());
    if (present.isPresent() && !present.get().equals(address.interfaceName())) {
      throw new StorageException(
          ErrorCode.BUSY,
          "address "
              + address.ip()
              + " is on interface "
              + present.get()
              + " of this node already: remove it there or choose another address");
    }
    if (present.isEmpty()) {
      requireUnused();
      String unused = addresses.ip("address", "replace", cidr(), "dev", address.interfaceName());
    }
  }

  private void requireInterface() throws StorageException {
    if (!host.files().exists(Path.of("/sys/class/net", address.interfaceName()))) {
      throw new StorageException(
          ErrorCode.INVALID,
          "address: interface "
              + address.interfaceName()
              + " is absent on this node: 'ip link'"
              + " lists the interfaces");
    }
  }

  /** Duplicate address detection as RFC 5227: exit code 1 means that another host answered. */
  private void requireUnused() throws StorageException {
    if (address.interfaceName().equals("lo")) {
      return;
    }
    ProgramResult result =
        addresses.run(
            "arping",
            ARPING,
            "-D",
            "-q",
            "-c",
            "2",
            "-w",
            "2",
            "-I",
            address.interfaceName(),
            address.ip());
    if (result.exitCode() == 1) {
      throw new StorageException(
          ErrorCode.BUSY,
          "address "
              + address.ip()
              + ": another host on "
              + address.interfaceName()
              + " has it: choose another address");
    }
  }

  /**
   * Tells the neighbours on which interface the address is now.
   *
   * @throws StorageException UNSUPPORTED, IO
   */
  public void announce() throws StorageException {
    if (!address.interfaceName().equals("lo")) {
      ProgramResult unused =
          addresses.run(
              "arping",
              ARPING,
              "-U",
              "-q",
              "-c",
              "1",
              "-w",
              "1",
              "-I",
              address.interfaceName(),
              address.ip());
    }
  }

  /**
   * Removes the address from its interface. Succeeds when it is not there.
   *
   * @throws StorageException IO
   */
  public void remove() throws StorageException {
    Optional<String> present = addresses.interfaceOf(address.ip());
    if (present.isPresent() && present.get().equals(address.interfaceName())) {
      String unused = addresses.ip("address", "del", cidr(), "dev", address.interfaceName());
    }
  }
}

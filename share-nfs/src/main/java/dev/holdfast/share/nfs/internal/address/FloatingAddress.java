package dev.holdfast.share.nfs.internal.address;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostProcess;
import dev.holdfast.share.ShareAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * An address that moves between nodes with its share. Only IPv4: moving needs an announcement to
 * the neighbours, which arping(8) sends. Not thread-safe.
 */
public final class FloatingAddress {
  private static final Duration DETECTION = Duration.ofSeconds(10);

  /** Exit code of arping(8) when another host answered. */
  private static final int ANSWERED = 1;

  private final Host host;
  private final HostAddresses addresses;
  private final ShareAddress address;
  private Optional<HostProcess> detection = Optional.empty();

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
   * Begins to ask whether another host has the address, unless this one has it, and does not wait.
   *
   * @throws StorageException as {@link #add}
   */
  public void detect() throws StorageException {
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
    if (present.isEmpty() && !isLoopback()) {
      // Duplicate address detection as RFC 5227.
      detection = Optional.of(arping("-D", "-c", "2", "-w", "2"));
    }
  }

  private boolean isLoopback() {
    return address.interfaceName().equals("lo");
  }

  private HostProcess arping(String... options) throws StorageException {
    List<String> command = new ArrayList<>(List.of(host.require("arping", "iputils-arping"), "-q"));
    command.addAll(List.of(options));
    command.addAll(List.of("-I", address.interfaceName(), address.ip()));
    return host.start(command);
  }

  /**
   * Puts the address on its interface, unless it is there. Waits for the answer to {@link #detect},
   * which it calls itself where the caller has not.
   *
   * @throws StorageException BUSY when another host, or another interface of this one, has it;
   *     INVALID when the interface is absent or the address is not IPv4; IO
   */
  public void add() throws StorageException {
    if (detection.isEmpty()) {
      detect();
    }
    if (detection.isPresent()) {
      requireUnused(detection.get());
    }
    String unused = addresses.ip("address", "replace", cidr(), "dev", address.interfaceName());
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

  private void requireUnused(HostProcess asking) throws StorageException {
    try {
      int answer = asking.exit().get(DETECTION.toMillis(), TimeUnit.MILLISECONDS);
      if (answer == ANSWERED) {
        throw new StorageException(
            ErrorCode.BUSY,
            "address "
                + address.ip()
                + ": another host on "
                + address.interfaceName()
                + " has it: choose another address");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      asking.kill();
      throw new StorageException(ErrorCode.TIMEOUT, "address " + address.ip() + ": interrupted", e);
    } catch (ExecutionException | TimeoutException e) {
      asking.kill();
      throw new StorageException(
          ErrorCode.IO, "address " + address.ip() + ": arping did not end: " + e.getMessage(), e);
    }
  }

  /**
   * Tells the neighbours on which interface the address is now. Does not wait for the program that
   * tells them.
   *
   * @throws StorageException UNSUPPORTED, IO
   */
  public void announce() throws StorageException {
    if (!isLoopback()) {
      HostProcess unused = arping("-U", "-c", "1", "-w", "1");
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

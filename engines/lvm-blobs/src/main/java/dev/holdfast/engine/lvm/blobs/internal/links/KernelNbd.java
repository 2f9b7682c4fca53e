package dev.holdfast.engine.lvm.blobs.internal.links;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Devices of a host's kernel that are clients of NBD. A device keeps its requests while its
 * connection is lost, and sends those without an answer again over the next one. A text of ours,
 * the backend, identifies a device for as long as it exists. Thread-safe.
 */
public final class KernelNbd {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String LOST_SECONDS = Long.toString(Duration.ofDays(30).toSeconds());

  private final Host host;

  /** Works on the devices of a host. */
  public KernelNbd(Host host) {
    this.host = host;
  }

  /**
   * A device.
   *
   * @param index of {@code /dev/nbdINDEX}
   * @param number major and minor number
   */
  public record Device(String index, String number) {}

  /**
   * An export of a server.
   *
   * @param host name or IPv4 address, or the absolute path of a UNIX socket
   * @param port TCP port; 0 for a UNIX socket
   * @param export its name
   * @param answer how long a request may wait for its answer before the connection counts as lost;
   *     whole seconds
   */
  public record Target(String host, int port, String export, Duration answer) {
    private List<String> words() {
      return List.of(host, Integer.toString(port), export, Long.toString(answer.toSeconds()));
    }
  }

  private static String script() throws StorageException {
    try (InputStream text = KernelNbd.class.getResourceAsStream("nbd.pl")) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw StorageException.io("nbd.pl", e);
    }
  }

  private String output(String action, String first, List<String> more) throws StorageException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(host.require("perl", "perl-base"), "-e", script(), action, first));
    command.addAll(more);
    ProgramResult result = host.run(ProgramCall.of(LIMIT, command));
    if (result.exitCode() != 0) {
      throw failure(result);
    }
    return result.output();
  }

  private Optional<Device> run(String action, String first, List<String> more)
      throws StorageException {
    String[] words = output(action, first, more).split(" ", -1);
    return words.length == 2 ? Optional.of(new Device(words[0], words[1])) : Optional.empty();
  }

  private static StorageException failure(ProgramResult result) {
    String message = result.lastLines();
    String code = message.split(" ", 2)[0];
    boolean known = Arrays.stream(ErrorCode.values()).anyMatch(one -> one.name().equals(code));
    return known
        ? new StorageException(ErrorCode.valueOf(code), message.substring(code.length() + 1))
        : new StorageException(ErrorCode.IO, "NBD device: " + message);
  }

  private static Device require(Optional<Device> device) throws StorageException {
    return device.orElseThrow(
        () -> new StorageException(ErrorCode.INTERNAL, "the kernel did not name the NBD device"));
  }

  /** Returns the device with a backend. */
  public Optional<Device> find(String backend) throws StorageException {
    return run("find", backend, List.of());
  }

  /**
   * Makes a device for an export.
   *
   * @throws StorageException UNREACHABLE when the export does not answer; UNSUPPORTED when the
   *     kernel has no NBD; IO
   */
  public Device connect(String backend, Target target) throws StorageException {
    List<String> words = new ArrayList<>(target.words());
    words.add(LOST_SECONDS);
    return require(run("connect", backend, words));
  }

  /**
   * Gives a device another connection, and waits until the export has answered a flush of it.
   * Requests that were sent over the lost connection are sent again when their time for an answer
   * has passed. The device gets one connection at most.
   *
   * @throws StorageException NOT_FOUND when the device is absent or of another backend; UNREACHABLE
   *     when the export does not answer, or the former connection is still used: the device has the
   *     connection that it had; TIMEOUT when it has the other connection, and the export does not
   *     answer a flush; IO
   */
  public Device reconnect(Device device, String backend, Target target) throws StorageException {
    List<String> words = new ArrayList<>(List.of(backend));
    words.addAll(target.words());
    return require(run("reconnect", device.index(), words));
  }

  /**
   * Returns the backends of devices whose connection is lost.
   *
   * @param prefix of the backends
   */
  public Set<String> lost(String prefix) throws StorageException {
    return output("lost", prefix, List.of())
        .lines()
        .filter(line -> !line.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Removes a device; requests that wait fail.
   *
   * @throws StorageException BUSY while another device or a mount uses it; IO
   */
  public void disconnect(Device device, String backend) throws StorageException {
    Optional<Device> unused = run("disconnect", device.index(), List.of(backend));
  }
}

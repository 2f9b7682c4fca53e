package dev.holdfast.share.nfs.internal.address;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A cable from this host to a neighbour, which is a network namespace. */
final class Cable implements AutoCloseable {
  /** Interface of this host. */
  static final String HERE = "hfshare0";

  /** Interface of the neighbour. */
  static final String THERE = "hfshare1";

  static final Duration SHORT = Duration.ofSeconds(20);

  private static final List<String> AT_NEIGHBOUR = List.of("ip", "netns", "exec", "hfshare");

  Cable() throws StorageException {
    String unused =
        ip("netns", "add", "hfshare")
            + ip("link", "add", HERE, "type", "veth", "peer", "name", THERE)
            + ip("link", "set", THERE, "netns", "hfshare")
            + ip("link", "set", HERE, "up")
            + neighbour("ip", "link", "set", THERE, "up");
  }

  static String ip(String... arguments) throws StorageException {
    return run(List.of("ip"), arguments);
  }

  static String neighbour(String... command) throws StorageException {
    return run(AT_NEIGHBOUR, command);
  }

  private static String run(List<String> prefix, String... words) throws StorageException {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(words));
    return HostProgram.check(SHORT, command);
  }

  /** Starts a program at the neighbour. Its output and errors go to one stream. */
  static Process start(String... words) throws Exception {
    List<String> command = new ArrayList<>(AT_NEIGHBOUR);
    command.addAll(List.of(words));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  @Override
  public void close() throws StorageException {
    String unused = ip("link", "del", HERE) + ip("netns", "del", "hfshare");
  }
}

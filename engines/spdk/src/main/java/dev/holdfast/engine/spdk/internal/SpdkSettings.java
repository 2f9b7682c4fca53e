package dev.holdfast.engine.spdk.internal;

import dev.holdfast.engine.spdk.internal.data.Identity;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * Settings of a node.
 *
 * @param socket where the target listens for calls, not null
 * @param address where hosts reach the target, not null
 * @param port for hosts
 * @param ownPort for the engine itself on the loopback interface, by default the next one
 * @param hostName file with the NQN of this host, not null
 * @param blockClasses {@code /sys/class/block}, not null
 * @param processes folder for the target's process where this node runs it, not null
 * @param keys folder for the keys of hosts, in memory, not null
 */
record SpdkSettings(
    Path socket,
    String address,
    int port,
    int ownPort,
    Path hostName,
    Path blockClasses,
    Path processes,
    Path keys) {
  static final String LOOPBACK = "127.0.0.1";

  private static final int LAST = 65_534;
  private static final int KEYS = 12;

  /** Checks the port. */
  SpdkSettings {
    if (port < 1 || port > LAST) {
      throw new IllegalArgumentException(
          "holdfast.spdk.port: must be from 1 to " + LAST + ": " + port);
    }
  }

  /** Reads the properties of the framework. */
  static SpdkSettings of(Function<String, String> properties) {
    int port = Integer.parseInt(value(properties, "holdfast.spdk.port", "4430"));
    String data = value(properties, "holdfast.data", "/var/lib/holdfast");
    return new SpdkSettings(
        Path.of(value(properties, "holdfast.spdk.socket", "/var/tmp/spdk.sock")),
        value(properties, "holdfast.address", LOOPBACK),
        port,
        port + 1,
        Path.of("/etc/nvme/hostnqn"),
        Path.of("/sys/class/block"),
        Path.of(data, "spdk"),
        Path.of("/run/holdfast-spdk", Identity.digits(data, KEYS)));
  }

  private static String value(Function<String, String> properties, String name, String otherwise) {
    return Optional.ofNullable(properties.apply(name)).orElse(otherwise);
  }
}

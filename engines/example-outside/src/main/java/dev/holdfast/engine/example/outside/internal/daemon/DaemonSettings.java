package dev.holdfast.engine.example.outside.internal.daemon;

import dev.holdfast.processes.RestartPolicy;
import java.nio.file.Path;
import java.time.Duration;

/**
 * How daemons are run on this node.
 *
 * @param folder of all volumes, below the state directory of the node
 * @param program name of the storage daemon
 * @param restarts what follows when one ends by itself
 * @param lockWait how long an opening waits for the lock of a replica
 */
public record DaemonSettings(
    Path folder, String program, RestartPolicy restarts, Duration lockWait) {
  private static final Duration FIRST = Duration.ofMillis(200);

  /** The settings of a node. */
  public static DaemonSettings of(Path folder) {
    RestartPolicy restarts =
        new RestartPolicy(FIRST, Duration.ofSeconds(5), Duration.ofMinutes(1), Integer.MAX_VALUE);
    return new DaemonSettings(folder, "qemu-storage-daemon", restarts, Duration.ofSeconds(3));
  }
}

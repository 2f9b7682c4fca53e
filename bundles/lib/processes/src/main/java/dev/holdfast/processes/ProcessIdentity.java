package dev.holdfast.processes;

import java.util.Objects;
import java.util.Optional;

/**
 * A process of this machine, distinguished from later processes with the same number. Immutable.
 *
 * @param pid number of the process, positive
 * @param startTicks start time in clock ticks since the boot, as in {@code /proc/PID/stat}
 * @param bootId boot of the start, as in {@code /proc/sys/kernel/random/boot_id}, not null
 */
public record ProcessIdentity(long pid, long startTicks, String bootId) {
  /** Checks the number. */
  public ProcessIdentity {
    if (pid <= 0) {
      throw new IllegalArgumentException("pid: " + pid + ", must be positive");
    }
    Objects.requireNonNull(bootId, "bootId");
  }

  /**
   * Returns the running process with a number; empty if none exists.
   *
   * @param pid number of the process
   */
  public static Optional<ProcessIdentity> of(long pid) {
    return ProcessTable.entry(pid)
        .filter(ProcessTable.Entry::isAlive)
        .map(entry -> new ProcessIdentity(pid, entry.startTicks(), ProcessTable.bootId()));
  }

  /** Returns whether this process still runs. A zombie does not run. */
  public boolean isAlive() {
    return ProcessTable.bootId().equals(bootId)
        && ProcessTable.entry(pid)
            .filter(entry -> entry.startTicks() == startTicks && entry.isAlive())
            .isPresent();
  }
}

package dev.holdfast.processes;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Record of one process on disk.
 *
 * @param name of the process
 * @param instance mark of this start
 * @param command command of the process
 * @param startedAt start time as text, by the clock of the supervisor
 * @param pid number of the process; 0 in a claim, which is written before the start
 * @param startTicks start time of the process
 * @param bootId boot of the start
 */
record ProcessRecord(
    String name,
    String instance,
    List<String> command,
    String startedAt,
    long pid,
    long startTicks,
    String bootId) {
  static ProcessRecord claim(String name, String instance, List<String> command, Instant now) {
    return new ProcessRecord(name, instance, command, now.toString(), 0, 0, "");
  }

  ProcessRecord started(ProcessIdentity process) {
    return new ProcessRecord(
        name, instance, command, startedAt, process.pid(), process.startTicks(), process.bootId());
  }

  /** Returns the process; empty for a claim. */
  Optional<ProcessIdentity> process() {
    return pid == 0 ? Optional.empty() : Optional.of(new ProcessIdentity(pid, startTicks, bootId));
  }
}

package dev.holdfast.processes;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Snapshot of a supervised process. Immutable.
 *
 * @param name of the process, not null
 * @param state not null
 * @param process the running process; empty if none runs
 * @param command command of the present or last start; not null
 * @param startedAt start time of the running process; empty if none runs
 * @param adopted whether the running process was started by an earlier supervisor
 * @param restarts number of restarts by this supervisor
 * @param detail cause of the last end or of the failed health check; empty if neither happened
 */
public record ProcessStatus(
    String name,
    ProcessState state,
    Optional<ProcessIdentity> process,
    List<String> command,
    Optional<Instant> startedAt,
    boolean adopted,
    int restarts,
    String detail) {
  /** Copies the command. */
  public ProcessStatus {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(state, "state");
    command = List.copyOf(command);
    Objects.requireNonNull(detail, "detail");
  }
}

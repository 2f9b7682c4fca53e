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
 * @param process the running process; empty when none runs
 * @param command with which it was started, or last was; not null
 * @param startedAt when the running process was started; empty when none runs
 * @param adopted whether the running process was started by an earlier supervisor
 * @param restarts how often this supervisor started it again
 * @param detail why it ended last, or which health check failed; empty when neither happened
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

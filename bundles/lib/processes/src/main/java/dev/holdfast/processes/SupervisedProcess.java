package dev.holdfast.processes;

import dev.holdfast.error.StorageException;
import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/** A process that a supervisor keeps running. Thread-safe. */
@ProviderType
public interface SupervisedProcess {
  /** Returns the present state without waiting. */
  ProcessStatus status();

  /**
   * Returns the last lines of output, oldest first, including output of an earlier process of the
   * name.
   *
   * @param lines largest number of lines; only the last 64 KiB are read
   * @throws StorageException IO
   */
  List<String> logTail(int lines) throws StorageException;

  /**
   * Stops a running process and starts it with its present specification. Also starts a stopped
   * process, or one that is no longer restarted.
   *
   * @throws StorageException as {@link #stop} and {@link ProcessSupervisor#supervise}
   */
  void restart() throws StorageException;

  /**
   * Ends the process and its session permanently: SIGTERM, then SIGKILL after the patience. Removes
   * the record and keeps the log. Succeeds if the process does not run.
   *
   * @throws StorageException BUSY when a process does not end after SIGKILL; call again later.
   *     TIMEOUT when interrupted. IO
   */
  void stop() throws StorageException;
}

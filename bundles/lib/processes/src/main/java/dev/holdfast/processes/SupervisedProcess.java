package dev.holdfast.processes;

import dev.holdfast.error.StorageException;
import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/** A process that a supervisor keeps running. Thread-safe. */
@ProviderType
public interface SupervisedProcess {
  /** Returns its present state. Does not wait. */
  ProcessStatus status();

  /**
   * Returns the last lines that it printed, oldest first, also of an earlier process of the name.
   *
   * @param lines largest number of lines; only the last 64 KiB are read
   * @throws StorageException IO
   */
  List<String> logTail(int lines) throws StorageException;

  /**
   * Stops it, if it runs, and starts it with its present specification. Also starts one that the
   * supervisor gave up or that was stopped.
   *
   * @throws StorageException as {@link #stop} and {@link ProcessSupervisor#supervise}
   */
  void restart() throws StorageException;

  /**
   * Ends it and everything that it started in its session, and does not start it again: SIGTERM,
   * after its patience SIGKILL. Its record is removed, its log stays. Succeeds when it does not
   * run.
   *
   * @throws StorageException BUSY when a process does not end, even when killed; call again later.
   *     TIMEOUT when interrupted. IO
   */
  void stop() throws StorageException;
}

package dev.holdfast.processes;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Starts and ends processes that outlive their starter, for callers that keep their own records and
 * do not restart processes. Other callers use {@link ProcessSupervisor}. Thread-safe.
 */
public final class DetachedProgram {
  private DetachedProgram() {}

  /**
   * Starts a process in its own session, in {@code /}, and outside the service or the container of
   * this program. Therefore neither a closed terminal nor the end of the node ends the process. Its
   * standard input is empty.
   *
   * @param command absolute path of the program, then its arguments
   * @param log receives both output streams; an existing file is replaced
   * @return the process, whose number does not change
   * @throws StorageException UNSUPPORTED when setsid is not installed; IO
   */
  public static Process start(List<String> command, Path log) throws StorageException {
    return Launcher.start(command, log);
  }

  /**
   * Sends SIGTERM to a process, waits, then sends SIGKILL. Ignores another process that now has the
   * same number. Succeeds if the process has ended.
   *
   * @param process the process to stop
   * @param patience longest wait after SIGTERM, and again after SIGKILL
   * @throws StorageException BUSY when the process does not end after SIGKILL; TIMEOUT when
   *     interrupted
   */
  public static void stop(ProcessIdentity process, Duration patience) throws StorageException {
    Termination.end(process, patience);
  }
}

package dev.holdfast.processes;

import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Starts and ends processes that outlive their starter, for callers that keep records of their own
 * and restart nothing. Others use {@link ProcessSupervisor}. Thread-safe.
 */
public final class DetachedProgram {
  private DetachedProgram() {}

  /**
   * Starts a process in a session of its own, in {@code /}, and outside the service or the
   * container that this program may belong to, so that neither a closed terminal nor the end of the
   * node ends it. It reads nothing.
   *
   * @param command absolute path of the program, then its arguments
   * @param log receives both of its outputs; is replaced
   * @return the process, whose number stays the same
   * @throws StorageException UNSUPPORTED when setsid is not installed; IO
   */
  public static Process start(List<String> command, Path log) throws StorageException {
    return Launcher.start(command, log);
  }

  /**
   * Sends SIGTERM to a process, waits, then sends SIGKILL. Another process that has the number by
   * now is left alone. Succeeds when the process has ended.
   *
   * @param process which one
   * @param patience after SIGTERM, and again after SIGKILL
   * @throws StorageException BUSY when it does not end, even when killed; TIMEOUT when interrupted
   */
  public static void stop(ProcessIdentity process, Duration patience) throws StorageException {
    Termination.end(process, patience);
  }
}

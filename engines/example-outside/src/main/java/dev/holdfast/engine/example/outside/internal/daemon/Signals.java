package dev.holdfast.engine.example.outside.internal.daemon;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.processes.ProcessIdentity;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Stops processes and lets them continue (signal(7)). */
final class Signals {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private Signals() {}

  /**
   * Stops a process.
   *
   * @throws StorageException TIMEOUT when a thread of it does not stop; IO
   */
  static void stop(ProcessIdentity process) throws StorageException {
    send("STOP", process);
    if (!HostCondition.holds(PATIENCE, () -> isStopped(process.pid()))) {
      proceed(process);
      throw new StorageException(
          ErrorCode.TIMEOUT,
          "process " + process.pid() + " does not stop: see its threads in /proc");
    }
  }

  /** Lets a process continue. Succeeds when it has ended. */
  static void proceed(ProcessIdentity process) throws StorageException {
    if (process.isAlive()) {
      send("CONT", process);
    }
  }

  private static void send(String signal, ProcessIdentity process) throws StorageException {
    String shell = HostProgram.require("sh", "dash").toString();
    HostProgram.check(
        PATIENCE,
        List.of(shell, "-c", "kill -\"$1\" \"$2\"", "sh", signal, Long.toString(process.pid())));
  }

  /** A process that has ended does nothing either. */
  private static boolean isStopped(long pid) {
    try (DirectoryStream<Path> threads =
        Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
      for (Path thread : threads) {
        String stat = Files.readString(thread.resolve("stat"));
        if ("TtZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) < 0) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      return !Files.exists(Path.of("/proc/" + pid));
    }
  }
}

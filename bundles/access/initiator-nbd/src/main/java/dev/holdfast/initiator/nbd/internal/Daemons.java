package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.processes.DetachedProgram;
import dev.holdfast.processes.ProcessIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Processes that outlive their starter, identified by a path in their command line. */
final class Daemons {
  private static final Path PROC = Path.of("/proc");

  private Daemons() {}

  /**
   * Starts a process in its own session, and outside the service or the container of this program.
   * Therefore neither a closed terminal nor the end of the node ends the process.
   */
  static Process start(List<String> command, Path log) throws StorageException {
    return DetachedProgram.start(command, log);
  }

  /** Finds the processes of a program with a path in their command line. */
  static List<Long> find(String program, Path path) throws StorageException {
    List<Long> found = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        long pid = Long.parseLong(process.getFileName().toString());
        if (isMeant(pid, program, path)) {
          found.add(pid);
        }
      }
      return found;
    } catch (IOException e) {
      throw StorageException.io(PROC.toString(), e);
    }
  }

  private static String[] commandLine(Path process) {
    try {
      return new String(Files.readAllBytes(process.resolve("cmdline")), StandardCharsets.ISO_8859_1)
          .split("\0");
    } catch (IOException e) {
      return new String[0]; // the process has ended
    }
  }

  private static boolean isOf(String[] arguments, String program) {
    return arguments.length > 0 && Path.of(arguments[0]).endsWith(program);
  }

  /**
   * Returns whether an argument contains the exact path, because a longer path with the same
   * beginning belongs to another volume.
   */
  private static boolean mentions(String[] arguments, Path path) {
    String folder =
        new String(path.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1)
            + "/";
    for (String argument : arguments) {
      if (argument.contains(folder)) {
        return true;
      }
    }
    return false;
  }

  /** Ends all processes of a program with a path in their command line. */
  static void stop(String program, Path path, Duration patience) throws StorageException {
    for (long pid : find(program, path)) {
      Optional<ProcessIdentity> process = ProcessIdentity.of(pid);
      // Another process may now have this number, so the process is checked again.
      if (process.isPresent() && isMeant(pid, program, path)) {
        DetachedProgram.stop(process.get(), patience);
      }
    }
  }

  /** Kills all processes of a program with a path in their command line without waiting. */
  static void kill(String program, Path path) throws StorageException {
    for (long pid : find(program, path)) {
      Optional<ProcessHandle> process = ProcessHandle.of(pid);
      if (process.isPresent() && isMeant(pid, program, path)) {
        boolean unused = process.get().destroyForcibly();
      }
    }
  }

  private static boolean isMeant(long pid, String program, Path path) {
    String[] arguments = commandLine(PROC.resolve(Long.toString(pid)));
    return isOf(arguments, program) && mentions(arguments, path);
  }
}

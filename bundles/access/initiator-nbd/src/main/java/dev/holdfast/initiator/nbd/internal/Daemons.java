package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostProgram;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Processes that outlive their starter, known by a path in their command line. */
final class Daemons {
  private static final Path PROC = Path.of("/proc");
  private static final Machine MACHINE = new Machine(PROC);

  private Daemons() {}

  /**
   * Starts a process in a session of its own, and outside the service or the container that this
   * program may belong to, so that neither a closed terminal nor the end of the node ends it.
   */
  static Process start(List<String> command, Path log) throws StorageException {
    List<String> detached = new ArrayList<>();
    Optional<Path> scope = HostProgram.find("systemd-run");
    if (scope.isPresent() && Files.isDirectory(Path.of("/run/systemd/system"))) {
      detached.addAll(List.of(scope.get().toString(), "--scope", "--quiet", "--collect", "--"));
    }
    detached.add(HostProgram.require("setsid", "util-linux").toString());
    detached.addAll(command);
    try {
      return new ProcessBuilder(MACHINE.outside(detached))
          .directory(new File("/"))
          .redirectInput(new File("/dev/null"))
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.to(log.toFile()))
          .start();
    } catch (IOException e) {
      throw StorageException.io(command.get(0), e);
    }
  }

  /** Finds the processes of a program that have a path in their command line. */
  static List<Long> find(String program, Path path) throws StorageException {
    List<Long> found = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        String[] arguments = commandLine(process);
        if (isOf(arguments, program) && mentions(arguments, path)) {
          found.add(Long.parseLong(process.getFileName().toString()));
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
      return new String[0]; // it has ended
    }
  }

  private static boolean isOf(String[] arguments, String program) {
    return arguments.length > 0 && Path.of(arguments[0]).endsWith(program);
  }

  /** A longer path that only begins alike belongs to another volume. */
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

  /** Asks a process to end, waits, and ends it for certain. */
  static void stop(long pid, Duration patience) throws StorageException {
    Optional<ProcessHandle> process = ProcessHandle.of(pid);
    if (process.isEmpty()) {
      return;
    }
    process.get().destroy();
    if (!ended(process.get(), patience)) {
      process.get().destroyForcibly();
      if (!ended(process.get(), patience)) {
        throw new StorageException(
            ErrorCode.BUSY, "process " + pid + " does not end, even when killed");
      }
    }
  }

  private static boolean ended(ProcessHandle process, Duration patience) throws StorageException {
    return HostCondition.holds(patience, () -> !process.isAlive());
  }
}

package dev.holdfast.processes;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostProgram;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Starts processes in their own sessions, outside the service and the container of this program. A
 * supervised process waits for the word "go" before it executes the program:
 *
 * <pre>
 *   claim ── fork ── record of number and start time ── "go" ── exec
 *                 └─ this program dies: end of input ─────────► ends
 * </pre>
 *
 * Therefore a program runs only after its process was recorded. Thread-safe.
 */
class Launcher {
  /** Environment variable that marks a process and its children. */
  static final String MARK = "HOLDFAST_PROCESS";

  private static final Machine MACHINE = new Machine(Path.of("/proc"));
  private static final Duration DECISION = Duration.ofSeconds(10);
  private static final Path NOTHING = Path.of("/dev/null");

  /** Arguments: limit of open files, of address space in KiB, then the command; 0 for no limit. */
  private static final String GATE =
      "read -r word && [ \"$word\" = go ] || exit 125;"
          + " [ \"$1\" = 0 ] || ulimit -n \"$1\" || exit 124;"
          + " [ \"$2\" = 0 ] || ulimit -v \"$2\" || exit 124;"
          + " shift 2; exec \"$@\" < /dev/null";

  /** A process that waits for the word "go". */
  record Waiting(Process process, ProcessIdentity identity) {
    /** Makes the process execute the program. */
    void go() throws IOException {
      try (OutputStream input = process.getOutputStream()) {
        input.write("go\n".getBytes(StandardCharsets.US_ASCII));
      }
    }

    /** Ends the waiting process. */
    void cancel() {
      process.destroyForcibly();
    }
  }

  /** Starts a program at once and replaces its log. */
  static Process start(List<String> command, Path log) throws StorageException {
    try {
      return builder(command, Path.of("/"))
          .redirectInput(NOTHING.toFile())
          .redirectOutput(ProcessBuilder.Redirect.to(log.toFile()))
          .start();
    } catch (IOException e) {
      throw StorageException.io(command.get(0), e);
    }
  }

  /**
   * Starts a process that waits for the word "go".
   *
   * @param instance mark of the process and its children
   * @param log log file, to which output is appended
   */
  Waiting prepare(ProcessSpec spec, String instance, Path log) throws StorageException {
    Path program = Path.of(spec.command().get(0));
    if (!Files.isExecutable(program)) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "process " + spec.name() + ": " + program + " is not an executable file: install it");
    }
    List<String> gate = new ArrayList<>();
    gate.addAll(List.of(HostProgram.require("sh", "dash").toString(), "-c", GATE, "sh"));
    gate.add(Long.toString(spec.limits().openFiles()));
    gate.add(Long.toString(spec.limits().addressSpaceBytes() / 1024));
    gate.addAll(spec.command());
    try {
      ProcessBuilder builder =
          builder(gate, spec.workingFolder())
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
      builder.environment().putAll(spec.environment());
      builder.environment().put(MARK, instance);
      Process process = builder.start();
      return new Waiting(process, identity(process, spec.name()));
    } catch (IOException e) {
      throw StorageException.io("process " + spec.name() + ": could not start " + program, e);
    }
  }

  private static ProcessIdentity identity(Process process, String name) throws StorageException {
    Optional<ProcessIdentity> identity = ProcessIdentity.of(process.pid());
    if (identity.isEmpty()) {
      process.destroyForcibly();
      throw new StorageException(
          ErrorCode.IO, "process " + name + ": ended before its program began; see its log");
    }
    return identity.get();
  }

  /**
   * Returns a recorded process whose program runs; empty if it has ended. A process that still
   * waits, because its starter was just killed, ends or executes the program within milliseconds.
   *
   * @throws StorageException BUSY if the process still waits
   */
  Optional<ProcessIdentity> begun(ProcessIdentity process) throws StorageException {
    if (!HostCondition.holds(DECISION, () -> !process.isAlive() || !waits(process))) {
      throw new StorageException(
          ErrorCode.BUSY, "process " + process.pid() + " is stopped while it starts: kill it");
    }
    return Optional.of(process).filter(ProcessIdentity::isAlive);
  }

  private static boolean waits(ProcessIdentity process) {
    return ProcessTable.hasArgument(process.pid(), GATE);
  }

  private static ProcessBuilder builder(List<String> command, Path folder) throws StorageException {
    List<String> detached = new ArrayList<>();
    Optional<Path> scope = HostProgram.find("systemd-run");
    if (scope.isPresent() && Files.isDirectory(Path.of("/run/systemd/system"))) {
      detached.addAll(List.of(scope.get().toString(), "--scope", "--quiet", "--collect", "--"));
    }
    detached.add(HostProgram.require("setsid", "util-linux").toString());
    detached.addAll(command);
    return new ProcessBuilder(MACHINE.outside(detached))
        .directory(new File(folder.toString()))
        .redirectErrorStream(true);
  }
}

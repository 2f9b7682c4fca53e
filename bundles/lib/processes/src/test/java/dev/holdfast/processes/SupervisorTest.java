package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostCondition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A supervisor of real processes, with manual time. */
abstract class SupervisorTest {
  static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;
  final ManualTime time = new ManualTime();
  final List<String> events = new ArrayList<>();
  ProcessSupervisor supervisor;

  final ProcessListener listener =
      new ProcessListener() {
        @Override
        public void restarted(ProcessStatus status) {
          events.add("restarted " + status.restarts());
        }

        @Override
        public void ready(ProcessStatus status) {
          events.add("ready");
        }

        @Override
        public void exited(ProcessStatus status) {
          events.add("exited " + status.state() + ": " + status.detail());
        }

        @Override
        public void gaveUp(ProcessStatus status) {
          events.add("gave up");
        }
      };

  @BeforeEach
  final void openSupervisor() throws Exception {
    supervisor = open();
  }

  final ProcessSupervisor open() throws StorageException {
    return ProcessSupervisor.open(records(), time.clock(), time);
  }

  final Path records() {
    return folder.resolve("processes");
  }

  @AfterEach
  final void removeProcesses() throws Exception {
    supervisor.close();
    try (ProcessSupervisor last = open()) {
      for (String name : last.recorded()) {
        last.remove(name, Duration.ofMillis(100));
      }
    }
  }

  /** Returns a process that runs a shell script. */
  static ProcessSpec script(String name, String script) {
    return ProcessSpec.of(name, List.of("/bin/sh", "-c", script));
  }

  /** Returns a process that waits until it is ended. */
  static ProcessSpec sleeper(String name) {
    return ProcessSpec.of(name, List.of("/bin/sleep", "100000"));
  }

  static ProcessIdentity identity(SupervisedProcess process) {
    return process.status().process().orElseThrow();
  }

  static void kill(ProcessIdentity process) throws StorageException {
    ProcessHandle.of(process.pid()).orElseThrow().destroyForcibly();
    awaitEnd(process);
  }

  static void awaitEnd(ProcessIdentity process) throws StorageException {
    assertThat(HostCondition.holds(PATIENCE, () -> !process.isAlive())).isTrue();
  }

  /** Waits for a file with a process number that a script writes. */
  static ProcessIdentity awaitPid(Path file) throws Exception {
    assertThat(HostCondition.holds(PATIENCE, () -> !read(file).isEmpty())).isTrue();
    return ProcessIdentity.of(Long.parseLong(read(file))).orElseThrow();
  }

  static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file).strip() : "";
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits until a process has printed a line. */
  static void awaitLine(SupervisedProcess process, String line) throws StorageException {
    assertThat(HostCondition.holds(PATIENCE, () -> process.logTail(100).contains(line)))
        .as(line)
        .isTrue();
  }

  final Optional<ProcessIdentity> recorded(String name) throws StorageException {
    return new ProcessRecords(records()).read(name).flatMap(ProcessRecord::process);
  }
}

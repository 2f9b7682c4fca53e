package dev.holdfast.engine.spdk.internal.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.processes.ProcessIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Start, end, adoption and restore of a target's process, simulated or real. */
abstract class TargetProcessKit {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final int MEMORY = 512;

  @TempDir Path folder;
  private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(4);
  private final AtomicInteger restores = new AtomicInteger();
  private TargetProcess process;

  /** Returns the program, which may be created in the folder. */
  abstract Path program(Path folder) throws Exception;

  @BeforeEach
  void start() throws Exception {
    process = begin(this::restore);
  }

  @AfterEach
  void end() throws Exception {
    process.stop();
    process.close();
    executor.shutdownNow();
  }

  private TargetProcess begin(TargetRestore restore) throws Exception {
    return begin(program(folder), MEMORY, restore);
  }

  private TargetProcess begin(Path program, int memory, TargetRestore restore) throws Exception {
    TargetOptions options = new TargetOptions(program, List.of(0), memory, false, true);
    return TargetProcess.start(folder.resolve("target"), options, restore, executor);
  }

  /** Restores the state that a target loses, here its transport. Fails at the first call. */
  private void restore(SpdkTarget target) throws StorageException {
    if (restores.incrementAndGet() == 1) {
      throw new StorageException(ErrorCode.IO, "the disk is not there yet");
    }
    JsonNode transports = target.call("nvmf_get_transports", SpdkTarget.params());
    if (transports.isEmpty()) {
      var unused = target.call("nvmf_create_transport", SpdkTarget.params().put("trtype", "TCP"));
    }
  }

  private SpdkTarget ready() {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        return process.target();
      } catch (StorageException e) {
        assertThat(System.nanoTime() - deadline).as(e.getMessage()).isNegative();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    }
  }

  private ProcessIdentity identity() {
    return process.status().orElseThrow().process().orElseThrow();
  }

  private static void assertRestored(SpdkTarget target) throws StorageException {
    assertThat(target.call("nvmf_get_transports", SpdkTarget.params())).hasSize(1);
  }

  @Test
  final void targetIsHandedOutAfterARestoreThatSucceeds() throws Exception {
    assertThatThrownBy(() -> process.target())
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    assertRestored(ready());
    assertThat(restores).hasValueGreaterThanOrEqualTo(2);
  }

  @Test
  final void processThatWasKilledIsStartedAgainAndRestored() throws Exception {
    assertRestored(ready());
    int before = restores.get();
    long first = identity().pid();
    assertThat(ProcessHandle.of(first).orElseThrow().destroyForcibly()).isTrue();
    while (restores.get() == before) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    assertRestored(ready());
    assertThat(identity().pid()).isNotEqualTo(first);
  }

  /** Only a start needs memory and the program. */
  @Test
  final void nextContainerAdoptsTheProcessAtOnce() throws Exception {
    assertRestored(ready());
    ProcessIdentity first = identity();
    process.close();
    int before = restores.get();
    process = begin(folder.resolve("removed"), MEMORY, this::restore);
    assertRestored(process.target());
    assertThat(identity()).isEqualTo(first);
    assertThat(process.status().orElseThrow().adopted()).isTrue();
    assertThat(restores).hasValueGreaterThan(before);
  }

  @Test
  final void processWithOtherOptionsIsReplacedAndRestored() throws Exception {
    assertRestored(ready());
    ProcessIdentity first = identity();
    assertThat(process.isOutdated()).as("a process of this start").isFalse();
    process.close();
    process = begin(program(folder), MEMORY + 1, this::restore);
    assertRestored(ready());
    assertThat(identity()).isEqualTo(first);
    assertThat(process.isOutdated()).isTrue();
    process.replace();
    assertRestored(process.target());
    assertThat(identity()).isNotEqualTo(first);
    assertThat(process.status().orElseThrow().command()).contains(String.valueOf(MEMORY + 1));
    assertThat(process.isOutdated()).isFalse();
  }

  @Test
  final void programThatDoesNotStartLeavesTheEarlierOne() throws Exception {
    assertRestored(ready());
    List<String> earlier = process.status().orElseThrow().command();
    process.close();
    Path broken = Files.writeString(folder.resolve("broken"), "#!/bin/sh\necho broken\nexit 1\n");
    assertThat(broken.toFile().setExecutable(true)).isTrue();
    process = begin(broken, MEMORY, this::restore);
    assertRestored(ready());
    assertThatThrownBy(process::replace)
        .isInstanceOf(StorageException.class)
        .hasMessageContaining(broken + " does not start, and the earlier one continues");
    assertRestored(ready());
    assertThat(process.status().orElseThrow().command()).isEqualTo(earlier);
    assertThat(process.isOutdated()).as("it is not tried again").isFalse();
  }

  @Test
  final void missingProgramIsRefusedBeforeTheProcessEnds() throws Exception {
    assertRestored(ready());
    ProcessIdentity first = identity();
    process.close();
    process = begin(folder.resolve("removed"), MEMORY, this::restore);
    assertRestored(ready());
    assertThat(process.isOutdated()).isTrue();
    assertThatThrownBy(process::replace)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
        .hasMessageContaining("is not there: install SPDK");
    assertThat(identity()).isEqualTo(first);
  }
}

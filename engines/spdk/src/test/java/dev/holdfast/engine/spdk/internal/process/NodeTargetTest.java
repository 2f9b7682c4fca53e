package dev.holdfast.engine.spdk.internal.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.simulator.SimulatedProgram;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls of an engine to its target while the process is absent, starts, or changes its owner. */
class NodeTargetTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @TempDir private Path folder;

  private Path processes() {
    return folder.resolve("spdk");
  }

  private NodeTarget start(Path program, TargetRestore restore) {
    return NodeTarget.start(
        processes(), new TargetOptions(program, List.of(0), 512, false, true), restore);
  }

  @AfterEach
  void end() throws Exception {
    if (Files.exists(processes().resolve("spdk-target.json"))) {
      ScheduledExecutorService executor = Executors.newScheduledThreadPool(2);
      TargetOptions options =
          new TargetOptions(folder.resolve("nvmf_tgt"), List.of(0), 512, false, true);
      try (TargetProcess last = TargetProcess.start(processes(), options, target -> {}, executor)) {
        last.stop();
      }
      executor.shutdownNow();
    }
  }

  private static void call(SpdkTarget target) throws StorageException {
    target.run("spdk_get_version", SpdkTarget.params());
  }

  @Test
  void programThatIsInstalledLaterIsStarted() throws Exception {
    Path program = folder.resolve("installed");
    CountDownLatch restored = new CountDownLatch(1);
    try (NodeTarget target = start(program, unused -> restored.countDown())) {
      target.awaitReady(PATIENCE);
      StorageException missing = catchThrowableOfType(StorageException.class, () -> call(target));
      assertThat(missing.code()).isEqualTo(ErrorCode.UNSUPPORTED);
      assertThat(missing).hasMessageContaining(program + ": is not there: install SPDK");
      Files.move(SimulatedProgram.script(folder), program);
      restored.await();
      target.awaitReady(PATIENCE);
      call(target);
    }
  }

  @Test
  void nextBundleReachesTheProcessBesideTheEarlierOneAndThenTakesItOver() throws Exception {
    Path program = SimulatedProgram.script(folder);
    CountDownLatch takenOver = new CountDownLatch(1);
    NodeTarget second;
    NodeTarget first = start(program, unused -> {});
    try (first) {
      first.awaitReady(PATIENCE);
      call(first);
      second = start(program, unused -> takenOver.countDown());
      second.awaitReady(PATIENCE);
      call(second);
      assertThat(takenOver.getCount()).as("restores by the second").isEqualTo(1);
    }
    try (second) {
      takenOver.await();
      second.awaitReady(PATIENCE);
      call(second);
      StorageException stopped = catchThrowableOfType(StorageException.class, () -> call(first));
      assertThat(stopped).hasMessageContaining("this engine has been stopped");
    }
  }
}

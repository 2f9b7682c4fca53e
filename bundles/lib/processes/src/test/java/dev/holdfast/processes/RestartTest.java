package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RestartTest extends SupervisorTest {
  private static final Duration TICK = Duration.ofMillis(250);
  private static final RestartPolicy THREE =
      new RestartPolicy(Duration.ofSeconds(1), Duration.ofSeconds(3), Duration.ofMinutes(1), 3);

  private final AtomicReference<String> problem = new AtomicReference<>("");

  private void check() throws StorageException {
    if (!problem.get().isEmpty()) {
      throw new StorageException(ErrorCode.UNREACHABLE, problem.get());
    }
  }

  private HealthProbe probe() {
    return new HealthProbe(
        this::check, Duration.ofSeconds(10), Duration.ofSeconds(1), Duration.ofSeconds(5), 2);
  }

  @Test
  void waitsDoubleUpToTheLongest() {
    assertThat(THREE.wait(1)).isEqualTo(Duration.ofSeconds(1));
    assertThat(THREE.wait(2)).isEqualTo(Duration.ofSeconds(2));
    assertThat(THREE.wait(3)).isEqualTo(Duration.ofSeconds(3));
    assertThat(THREE.wait(1000)).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void processThatEndsIsRestartedAfterGrowingWaitsUntilTheSupervisorGivesUp() throws Exception {
    Path told = folder.resolve("told");
    String script = "until [ -e " + told + " ]; do sleep 0.01; done; exit 3";
    SupervisedProcess process =
        supervisor.supervise(script("demo", script).withRestarts(THREE), listener);
    for (int wait : new int[] {1, 2, 3}) {
      Files.createFile(told);
      awaitEnd(identity(process));
      Files.delete(told);
      time.pass(TICK);
      assertThat(process.status().state()).isEqualTo(ProcessState.BACKING_OFF);
      time.pass(Duration.ofSeconds(wait).minusMillis(1));
      assertThat(process.status().state()).isEqualTo(ProcessState.BACKING_OFF);
      time.pass(Duration.ofMillis(1));
      assertThat(process.status().process()).isPresent();
    }
    Files.createFile(told);
    awaitEnd(identity(process));
    time.pass(TICK);

    assertThat(process.status().state()).isEqualTo(ProcessState.GAVE_UP);
    assertThat(process.status().detail()).isEqualTo("ended with exit code 3");
    assertThat(events)
        .containsExactly(
            "exited BACKING_OFF: ended with exit code 3",
            "restarted 1",
            "exited BACKING_OFF: ended with exit code 3",
            "restarted 2",
            "exited BACKING_OFF: ended with exit code 3",
            "restarted 3",
            "exited GAVE_UP: ended with exit code 3",
            "gave up");

    process.restart();
    assertThat(process.status().process()).isPresent();
  }

  @Test
  void soundRunResetsTheWait() throws Exception {
    SupervisedProcess process = supervisor.supervise(sleeper("demo").withRestarts(THREE), listener);
    for (int run = 0; run < 5; run++) {
      time.pass(Duration.ofMinutes(1));
      kill(identity(process));
      time.pass(TICK);
      assertThat(process.status().detail()).isEqualTo("ended by signal 9");
      time.pass(Duration.ofSeconds(1));
      assertThat(process.status().process()).isPresent();
    }
    assertThat(process.status().restarts()).isEqualTo(5);
  }

  @Test
  void processWithoutRestartsStaysEnded() throws Exception {
    SupervisedProcess process =
        supervisor.supervise(script("demo", "exit 0").withRestarts(RestartPolicy.NEVER), listener);
    awaitEnd(identity(process));
    time.pass(Duration.ofHours(1));
    assertThat(events).containsExactly("exited GAVE_UP: ended with exit code 0", "gave up");
  }

  @Test
  void stopDuringTheWaitPreventsTheRestart() throws Exception {
    SupervisedProcess process = supervisor.supervise(script("demo", "exit 3"), listener);
    awaitEnd(identity(process));
    time.pass(TICK);
    process.stop();
    time.pass(Duration.ofHours(1));
    assertThat(process.status().state()).isEqualTo(ProcessState.STOPPED);
    assertThat(supervisor.recorded()).isEmpty();
  }

  @Test
  void processIsReadyAfterItsFirstSuccessfulCheck() throws Exception {
    problem.set("no socket yet");
    SupervisedProcess process =
        supervisor.supervise(sleeper("demo").withHealth(Optional.of(probe())), listener);
    assertThat(process.status().state()).isEqualTo(ProcessState.STARTING);
    time.pass(Duration.ofSeconds(8));
    assertThat(process.status().state()).isEqualTo(ProcessState.STARTING);
    assertThat(process.status().detail()).isEqualTo("no socket yet");

    problem.set("");
    time.pass(Duration.ofSeconds(2));

    assertThat(process.status().state()).isEqualTo(ProcessState.RUNNING);
    assertThat(process.status().detail()).isEmpty();
    assertThat(events).containsExactly("ready");
  }

  @Test
  void processThatFailsItsChecksIsReplaced() throws Exception {
    SupervisedProcess process =
        supervisor.supervise(sleeper("demo").withHealth(Optional.of(probe())), listener);
    time.pass(Duration.ofSeconds(1));
    ProcessIdentity first = identity(process);

    problem.set("does not answer");
    time.pass(Duration.ofSeconds(3));
    assertThat(first.isAlive()).isFalse();
    problem.set("");
    time.pass(Duration.ofSeconds(2));

    assertThat(identity(process).isAlive()).isTrue();
    assertThat(events)
        .containsExactly(
            "ready", "exited BACKING_OFF: is not healthy: does not answer", "restarted 1", "ready");
  }

  @Test
  void processThatNeverBecomesReadyIsReplacedAfterItsPatience() throws Exception {
    problem.set("no socket yet");
    supervisor.supervise(sleeper("demo").withHealth(Optional.of(probe())), listener);
    time.pass(Duration.ofSeconds(9));
    assertThat(events).isEmpty();
    time.pass(Duration.ofSeconds(4));
    assertThat(events).contains("exited BACKING_OFF: is not healthy: no socket yet");
  }

  @Test
  void listenerThatThrowsMissesNoEvent() throws Exception {
    ProcessListener throwing =
        new ProcessListener() {
          @Override
          public void exited(ProcessStatus status) {
            events.add("exited");
            throw new IllegalStateException("planted");
          }

          @Override
          public void gaveUp(ProcessStatus status) {
            events.add("gave up");
          }
        };
    SupervisedProcess process =
        supervisor.supervise(script("demo", "exit 0").withRestarts(RestartPolicy.NEVER), throwing);
    awaitEnd(identity(process));
    time.pass(TICK);
    assertThat(events).containsExactly("exited", "gave up");
  }
}

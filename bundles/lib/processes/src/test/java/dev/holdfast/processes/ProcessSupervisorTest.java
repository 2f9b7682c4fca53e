package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostCondition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProcessSupervisorTest extends SupervisorTest {

  @Test
  void processRunsInASeparateSessionWithItsEnvironmentFolderAndLimits() throws Exception {
    Path work = Files.createDirectory(folder.resolve("work"));
    SupervisedProcess process =
        supervisor.supervise(
            script("demo", "pwd; echo $GREETING; ulimit -n; ulimit -v; cat; echo read; sleep 9999")
                .withEnvironment(Map.of("GREETING", "hello"))
                .withWorkingFolder(work)
                .withLimits(new ProcessLimits(123, 1 << 30)),
            listener);

    awaitLine(process, "read");
    assertThat(process.logTail(100))
        .containsExactly(work.toString(), "hello", "123", "1048576", "read");
    long pid = identity(process).pid();
    assertThat(ProcessTable.entry(pid).orElseThrow().session()).isEqualTo(pid);
    assertThat(recorded("demo")).contains(identity(process));
    assertThat(process.status().state()).isEqualTo(ProcessState.RUNNING);
  }

  @Test
  void laterSupervisorAdoptsTheProcessThatRuns() throws Exception {
    ProcessIdentity first = identity(supervisor.supervise(sleeper("demo"), listener));
    supervisor.close();

    supervisor = open();
    assertThat(supervisor.recorded()).containsExactly("demo");
    SupervisedProcess adopted = supervisor.supervise(script("demo", "exec sleep 777"), listener);

    assertThat(identity(adopted)).isEqualTo(first);
    assertThat(adopted.status().adopted()).isTrue();
    assertThat(adopted.status().command()).containsExactly("/bin/sleep", "100000");

    adopted.restart();
    assertThat(first.isAlive()).isFalse();
    assertThat(adopted.status().adopted()).isFalse();
    assertThat(adopted.status().command()).contains("exec sleep 777");
  }

  @Test
  void endOfAnAdoptedProcessIsNoticed() throws Exception {
    supervisor.supervise(sleeper("demo"), listener);
    supervisor.close();
    supervisor = open();
    SupervisedProcess adopted = supervisor.supervise(sleeper("demo"), listener);
    ProcessIdentity first = identity(adopted);

    kill(first);
    time.pass(Duration.ofSeconds(5));

    assertThat(events.get(0)).startsWith("exited BACKING_OFF: ended; an earlier supervisor");
    assertThat(identity(adopted)).isNotEqualTo(first);
    assertThat(identity(adopted).isAlive()).isTrue();
  }

  @Test
  void laterProcessWithARecordedNumberIsNotEnded() throws Exception {
    SupervisedProcess process = supervisor.supervise(sleeper("demo"), listener);
    supervisor.close();
    kill(identity(process));
    Process other = new ProcessBuilder("/bin/sleep", "100000").start();
    ProcessRecords records = new ProcessRecords(records());
    ProcessRecord record = records.read("demo").orElseThrow();
    ProcessIdentity reused = ProcessIdentity.of(other.pid()).orElseThrow();
    try {
      records.write(
          record.started(
              new ProcessIdentity(reused.pid(), reused.startTicks() - 1, reused.bootId())));

      supervisor = open();
      SupervisedProcess again = supervisor.supervise(sleeper("demo"), listener);
      assertThat(identity(again)).isNotEqualTo(reused);
      again.stop();

      records.write(
          record.started(new ProcessIdentity(reused.pid(), reused.startTicks(), "earlier boot")));
      supervisor.remove("demo", Duration.ofMillis(10));
      assertThat(reused.isAlive()).isTrue();
    } finally {
      other.destroyForcibly().waitFor(1, TimeUnit.MINUTES);
    }
  }

  @Test
  void stopKillsAProcessThatIgnoresTheRequestAndItsChildren() throws Exception {
    Path child = folder.resolve("child");
    Path alone = folder.resolve("alone");
    SupervisedProcess process =
        supervisor.supervise(
            script(
                    "demo",
                    "trap '' TERM; sleep 9999 & echo $! > "
                        + child
                        + "; (trap '' TERM; while :; do sleep 1; done) & echo $! > "
                        + alone
                        + "; while :; do sleep 1; done")
                .withStopPatience(Duration.ofMillis(300)),
            listener);
    ProcessIdentity first = identity(process);
    List<ProcessIdentity> started = List.of(awaitPid(child), awaitPid(alone));

    process.stop();

    assertThat(first.isAlive()).isFalse();
    assertThat(started).noneMatch(ProcessIdentity::isAlive);
    assertThat(process.status().state()).isEqualTo(ProcessState.STOPPED);
    assertThat(supervisor.recorded()).isEmpty();
    time.pass(Duration.ofHours(1));
    assertThat(process.status().state()).isEqualTo(ProcessState.STOPPED);
  }

  @Test
  void childrenOfAKilledProcessAreEndedBeforeItsRestart() throws Exception {
    Path child = folder.resolve("child");
    ProcessSpec spec =
        script("demo", "sleep 9999 & echo $! > " + child + "; wait")
            .withStopPatience(Duration.ofSeconds(5));
    SupervisedProcess process = supervisor.supervise(spec, listener);
    ProcessIdentity left = awaitPid(child);
    supervisor.close();
    kill(identity(process));
    assertThat(left.isAlive()).isTrue();

    supervisor = open();
    supervisor.supervise(spec, listener);

    assertThat(left.isAlive()).isFalse();
  }

  @Test
  void processOfAnotherSessionWithTheSameNumberIsNotEnded() throws Exception {
    Path child = folder.resolve("child");
    Process foreign =
        new ProcessBuilder("setsid", "sh", "-c", "sleep 9999 & echo $! > " + child + "; sleep 9999")
            .start();
    ProcessIdentity member = awaitPid(child);
    try {
      ProcessIdentity gone =
          new ProcessIdentity(
              foreign.pid(), 1, ProcessTable.bootId()); // as if the number were reused
      Termination.endSession(gone, "an instance", Duration.ofMillis(10));
      assertThat(member.isAlive()).isTrue();
    } finally {
      ProcessHandle.of(member.pid()).ifPresent(ProcessHandle::destroyForcibly);
      foreign.destroyForcibly().waitFor(1, TimeUnit.MINUTES);
    }
  }

  @Test
  void removeEndsAProcessThatIsOnlyRecorded() throws Exception {
    ProcessIdentity first = identity(supervisor.supervise(sleeper("demo"), listener));
    supervisor.close();
    supervisor = open();

    supervisor.remove("demo", Duration.ofSeconds(5));
    supervisor.remove("demo", Duration.ofSeconds(5));

    assertThat(first.isAlive()).isFalse();
    assertThat(supervisor.recorded()).isEmpty();
    assertThatThrownBy(() -> supervisor.remove("../demo", Duration.ofSeconds(5)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void secondSupervisorOfAFolderIsRefused() throws Exception {
    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
        .hasMessageContaining(records().toString());
    supervisor.supervise(sleeper("demo"), listener);
    assertThatThrownBy(() -> supervisor.supervise(sleeper("demo"), listener))
        .hasMessage("process demo is supervised already: stop it first");
  }

  @Test
  void missingProgramIsNamedAndLeavesNoRecord() throws Exception {
    assertThatThrownBy(
            () ->
                supervisor.supervise(ProcessSpec.of("demo", List.of("/no/such/program")), listener))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
        .hasMessage("process demo: /no/such/program is not an executable file: install it");
    assertThat(supervisor.recorded()).isEmpty();
    assertThat(supervisor.find("demo")).isEmpty();
  }

  @Test
  void damagedRecordIsNamed() throws Exception {
    Files.writeString(records().resolve("demo.json"), "{\"name\": ");
    assertThatThrownBy(() -> supervisor.supervise(sleeper("demo"), listener))
        .hasMessageContaining("process demo: its record is damaged")
        .hasMessageContaining(records().resolve("demo.json").toString());
    Files.delete(records().resolve("demo.json"));
  }

  @Test
  void logKeepsItsBoundAndItsLastLines() throws Exception {
    SupervisedProcess process =
        supervisor.supervise(
            script("demo", "for i in $(seq 1 2000); do echo line $i; done; echo end; sleep 9999")
                .withLogBytes(4096),
            listener);
    awaitLine(process, "end");
    time.pass(Duration.ofSeconds(1));

    assertThat(records().resolve("demo.log")).hasSize(0);
    assertThat(records().resolve("demo.log.1")).hasSize(2048);
    assertThat(process.logTail(3)).containsExactly("line 1999", "line 2000", "end");
  }

  @Test
  void closedSupervisorLeavesNoTimers() throws Exception {
    ProcessIdentity first = identity(supervisor.supervise(sleeper("demo"), listener));
    supervisor.close();
    assertThat(time.timers()).isZero();
    assertThat(first.isAlive()).isTrue();
    assertThat(HostCondition.holds(Duration.ZERO, () -> events.isEmpty())).isTrue();
  }
}

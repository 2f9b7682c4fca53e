package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.initiator.HostCondition;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** SIGKILL ends the supervisor's program while it starts a process. */
class SupervisorCrashTest extends SupervisorTest {
  @ParameterizedTest
  @EnumSource(StartAndDie.Moment.class)
  void exactlyOneProcessRunsAfterTheNextStart(StartAndDie.Moment moment) throws Exception {
    supervisor.close();
    Path begun = folder.resolve("begun");
    int code = startAndDie(moment, begun);
    assertThat(code).as("killed by SIGKILL").isEqualTo(137);

    supervisor = open();
    SupervisedProcess process = supervisor.supervise(StartAndDie.spec(begun), listener);

    ProcessIdentity runs = identity(process);
    assertThat(HostCondition.holds(PATIENCE, () -> read(begun).contains("" + runs.pid()))).isTrue();
    assertThat(process.status().adopted()).isEqualTo(moment == StartAndDie.Moment.AFTER_START);
    assertThat(recorded("demo")).contains(runs);
    assertThat(Files.readAllLines(begun)).containsExactly(Long.toString(runs.pid()));
    long left = moment == StartAndDie.Moment.AFTER_START ? 1 : 0;
    assertThat(HostCondition.holds(PATIENCE, () -> startedByTheKilled() == left)).isTrue();
  }

  private long startedByTheKilled() {
    return ProcessHandle.allProcesses()
        .filter(process -> ProcessTable.hasVariable(process.pid(), "TEST_FOLDER=" + folder))
        .filter(process -> ProcessIdentity.of(process.pid()).isPresent())
        .count();
  }

  private int startAndDie(StartAndDie.Moment moment, Path begun) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    StartAndDie.class.getName(),
                    records().toString(),
                    moment.name(),
                    begun.toString()))
            .inheritIO();
    builder.environment().put("TEST_FOLDER", folder.toString());
    Process child = builder.start();
    assertThat(child.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return child.exitValue();
  }
}

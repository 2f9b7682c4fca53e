package dev.holdfast.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineTest {
  private static final List<String> COMMAND = List.of("sh", "-c", "echo $$ > \"$0\"");

  @TempDir Path proc;

  @Test
  void aProgramOfTheMachineStartsOthersAsTheyAre() throws Exception {
    mounts("1", "mnt:[1]");
    mounts("self", "mnt:[1]");
    assertThat(new Machine(proc).outside(COMMAND)).isEqualTo(COMMAND);
  }

  @Test
  void containerWithAnUnreadableFirstProcessStartsCommandsUnchanged() throws Exception {
    mounts("self", "mnt:[2]");
    assertThat(new Machine(proc).outside(COMMAND)).isEqualTo(COMMAND);
  }

  @Test
  void processStartedByAContainerJoinsTheGroupsOfTheMachinesFirstProcess() throws Exception {
    container();
    Path unified = group("unified/init.scope");
    Path memory = group("memory/kept/here");
    Path named = group("systemd");
    Path pids = group("pids");
    Files.writeString(
        proc.resolve("1/cgroup"),
        """
        9:name=systemd:/
        8:pids:/../../elsewhere
        4:memory:/kept/here
        3:absent:/
        0::/init.scope
        """);

    String pid = run();

    for (Path joined : List.of(unified, memory, named, pids)) {
      assertThat(joined).content().isEqualToIgnoringNewLines(pid);
    }
  }

  @Test
  void theOneHierarchyOfNewerMachinesIsJoined() throws Exception {
    container();
    Path group = group("init.scope");
    Files.writeString(proc.resolve("1/cgroup"), "0::/init.scope\n");

    String pid = run();

    assertThat(group).content().isEqualToIgnoringNewLines(pid);
  }

  /** Runs the command outside of the container and returns its process number. */
  private String run() throws Exception {
    Path told = proc.resolve("told");
    List<String> command = List.of("sh", "-c", "echo $$ > \"$0\"", told.toString());
    Process process = new ProcessBuilder(new Machine(proc).outside(command)).inheritIO().start();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).isZero();
    assertThat(told).content().isEqualToIgnoringNewLines(Long.toString(process.pid()));
    return Files.readString(told).strip();
  }

  private void container() throws IOException {
    mounts("1", "mnt:[1]");
    mounts("self", "mnt:[2]");
  }

  private void mounts(String process, String namespace) throws IOException {
    Path folder = Files.createDirectories(proc.resolve(process).resolve("ns"));
    Files.createSymbolicLink(folder.resolve("mnt"), Path.of(namespace));
  }

  private Path group(String path) throws IOException {
    Path folder = Files.createDirectories(proc.resolve("1/root/sys/fs/cgroup").resolve(path));
    return Files.createFile(folder.resolve("cgroup.procs"));
  }
}

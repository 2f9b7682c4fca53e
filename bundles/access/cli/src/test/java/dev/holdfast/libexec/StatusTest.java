package dev.holdfast.libexec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Output of {@code holdfast status} about a node, by functions that stand for the node's answers.
 */
class StatusTest {
  /**
   * A process of this data directory whose API ends a request of curl with a status that the test
   * chooses.
   */
  private static final String NODE = "running_pid() { echo 4711; }; curl() { return \"$CURL\"; }; ";

  @TempDir Path folder;
  private Path data;

  @BeforeEach
  void makeNode() throws Exception {
    data = Files.createDirectory(folder.resolve("data"));
    Files.createDirectory(data.resolve("tls"));
    Files.createFile(data.resolve("tls/ca.crt"));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, Holdfast runs (pid 4711)",
    "22, 0, Holdfast is starting or not ready (pid 4711)",
    "28, 1, Holdfast runs (pid 4711) and does not answer (overloaded?)",
  })
  void stateFollowsFromTheAnswer(String curl, int exitCode, String line) throws Exception {
    Shell.Ended ended =
        new Shell(folder).with("CURL", curl).functions(data, NODE + "node_status --data \"$data\"");
    assertThat(ended.exitCode()).as(ended.err()).isEqualTo(exitCode);
    assertThat(ended.out()).startsWith(line + "\n");
  }

  @Test
  void reasonOfRefusedStoreIsShown() throws Exception {
    Files.writeString(
        Files.createDirectory(data.resolve("store")).resolve("trouble"), "the store is damaged\n");
    Shell.Ended ended =
        new Shell(folder).with("CURL", "22").functions(data, NODE + "node_status --data \"$data\"");
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.out())
        .startsWith("Holdfast runs (pid 4711) without its store: the store is damaged");
  }

  @Test
  void errorForAnotherAccountNamesTheUnreadableFile() throws Exception {
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("---------"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    try {
      Shell.Ended ended = new Shell(folder).asOther(data, "node_status --data \"$data\"");
      assertThat(ended.exitCode()).isEqualTo(1);
      assertThat(ended.err())
          .startsWith("holdfast: no permission to read " + data + "/holdfast.env: run the command");
    } finally {
      Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwx------"));
    }
  }
}

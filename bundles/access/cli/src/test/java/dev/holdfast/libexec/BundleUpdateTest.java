package dev.holdfast.libexec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Output of {@code holdfast shell bundle:update} after Karaf's command has returned. */
class BundleUpdateTest {
  private static final String UPDATE =
      """
      running_pid() { echo 4711; }
      require_java() { :; }
      distribution() { echo /nowhere; }
      timeout() { cp "$data/next.json" "$data/upgrade/journal.json"; return "$KARAF"; }
      node_shell --data "$data" bundle:update 7 file:/x.jar
      """;

  @TempDir Path folder;

  @BeforeEach
  void makeJournal() throws Exception {
    Files.createDirectory(folder.resolve("upgrade"));
    Files.writeString(folder.resolve("upgrade/journal.json"), journal(operation("a", "WENT_BACK")));
  }

  // As the node writes it.
  private static String operation(String id, String state) {
    return """
        {
            "id" : "%s",
            "source" : "bundle:update dev.holdfast.csi",
            "state" : "%s",
            "started" : "2026-11-23T08:00:00Z",
            "ended" : "2026-11-23T08:00:11Z",
            "reason" : "it does not start",
            "undoes" : "",
            "steps" : [ {
              "bundle" : "dev.holdfast.csi",
              "state" : "UNDONE"
            } ]
          }"""
        .formatted(id, state);
  }

  private static String journal(String... operations) {
    return "{\n  \"operations\" : [ " + String.join(", ", operations) + " ]\n}\n";
  }

  private Shell.Ended update(int karaf, String journal) throws Exception {
    Files.writeString(folder.resolve("next.json"), journal);
    return new Shell(folder)
        .with("KARAF", String.valueOf(karaf))
        .with("HOLDFAST_TRIAL_SECONDS", "1")
        .functions(folder, UPDATE);
  }

  @ParameterizedTest
  @CsvSource({
    "WENT_BACK, 1, 'does not work, the former one runs again: it does not start'",
    "FAILED, 1, 'does not work: it does not start'",
    "DONE, 0, ''",
  })
  void exitCodeFollowsFromTheTrial(String state, int exitCode, String text) throws Exception {
    Shell.Ended ended = update(0, journal(operation("a", "WENT_BACK"), operation("b", state)));
    assertThat(ended.exitCode()).as(ended.err()).isEqualTo(exitCode);
    assertThat(ended.err())
        .isEqualTo(
            text.isEmpty()
                ? ""
                : "holdfast: bundle:update dev.holdfast.csi: the new version " + text);
  }

  @Test
  void earlierTrialsDoNotCount() throws Exception {
    update(0, journal(operation("a", "WENT_BACK"))).succeeded();
  }

  @Test
  void failureOfTheCommandIsItsExitCode() throws Exception {
    assertThat(update(3, journal(operation("b", "DONE"))).exitCode()).isEqualTo(3);
  }
}

package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backupstore.testkit.LonghornBackupstore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong addresses and options of the verbs on backups. The tests do not change the target. */
class BackupUseTest {
  @TempDir static Path folder;
  private static LonghornBackupstore target;
  private static Path out;

  @BeforeAll
  static void unpack() throws Exception {
    target = LonghornBackupstore.unpackedIn(Files.createDirectory(folder.resolve("target")));
    out = Files.createDirectory(folder.resolve("out"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "backup ls TARGET | expected scheme://authority/path",
        "backup ls s4://bucket/ | scheme \"s4\": no backup target of this kind is installed: use"
            + " one of file, vfs",
        "backup ls file://host/x | a directory has none: use file:///path",
        "backup ls file:///no/such/folder | is not a directory: create or mount it first",
        "backup ls URL?volum=vol1 | parameter \"volum\"",
        "backup ls URL?volume=vol2 | volume vol2: has no backups here",
        "backup list URL?backup=b | parameter backup needs the parameter volume: add"
            + " '&volume=NAME'",
        "backup list URL?volume=vol1 vol2 | the address names the volume vol1: omit one",
        "backup list URL vol2 | volume vol2: has no backups here",
        "backup list URL ../vol1 | expected 2 to 200 letters",
        "backup verify URL?volume=vol1&backup=backup-0 | backup backup-0: volume vol1 has none of"
            + " that name",
        "backup verify URL --sample 0 | --sample 0: expected a number from 1 to 100",
        "backup verify URL --sample 101 | --sample 101: expected a number from 1 to 100",
        "backup extract URL --to OUT | names no backup: add '?backup=NAME&volume=NAME'",
        "backup extract URL?volume=vol1 --to OUT | names no backup",
        "backup extract URL | --to"
      })
  void wrongUseNamesFieldValueAndRemedy(String command, String message) {
    StringWriter text = new StringWriter();
    StringWriter err = new StringWriter();
    String[] arguments =
        command
            .replace("URL", target.url())
            .replace("TARGET", target.root().toString())
            .replace("OUT", out.resolve("x").toString())
            .split(" ", -1);
    int exitCode =
        Main.commandLine(
                kubeconfig -> {
                  throw new StorageException(ErrorCode.INTERNAL, "a node was asked for");
                },
                arguments)
            .setOut(new PrintWriter(text, true))
            .setErr(new PrintWriter(err, true))
            .execute(arguments);

    assertThat(exitCode).as(err.toString()).isNotZero();
    assertThat(err.toString())
        .startsWith("holdfast: ")
        .contains(message)
        .as("without the remedy for a node, which these verbs do not need")
        .doesNotContain("The node is not running");
    assertThat(text.toString()).isEmpty();
    assertThat(out).isEmptyDirectory();
  }
}

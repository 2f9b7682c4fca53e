package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.backupstore.testkit.LonghornBackupstore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Backups that the real Longhorn wrote, by the shipped command on a host without a node, and by the
 * shell of a node.
 */
class BackupE2E {
  private static final String FIRST = LonghornBackupstore.FIRST;
  private static final String SECOND = LonghornBackupstore.SECOND;

  @TempDir static Path directory;
  private static Path distribution;
  private static LonghornBackupstore target;

  /** Unpacks the shipped archive into a folder of its own: nothing of the source tree is beside. */
  @BeforeAll
  static void unpack() throws IOException {
    Path assembly = Path.of(System.getProperty("holdfast.distribution")).normalize();
    Path archive;
    try (var files = Files.newDirectoryStream(assembly.getParent(), "holdfast-*.tar.gz")) {
      archive = files.iterator().next();
    }
    distribution = Files.createDirectory(directory.resolve("distribution"));
    Command.of(
            "tar",
            "-xzf",
            archive.toString(),
            "-C",
            distribution.toString(),
            "--strip-components=1")
        .run()
        .succeeded();
    target = LonghornBackupstore.unpackedIn(Files.createDirectory(directory.resolve("target")));
  }

  @AfterAll
  static void remove() {
    Command.of("rm", "-rf", distribution.toString()).run().succeeded();
  }

  private static Command.Result holdfast(String... words) {
    List<String> all = new ArrayList<>();
    all.add(distribution.resolve("holdfast").toString());
    all.addAll(List.of(words));
    all.addAll(List.of("--data", directory.resolve("no-node").toString()));
    return Command.of(all).run();
  }

  private static String url(String backup) {
    return target.url() + "?backup=" + backup + "&volume=vol1";
  }

  @Test
  void targetIsShownVerifiedAndExtractedWithoutANode() throws IOException {
    assertThat(holdfast("backup", "ls", target.url()).succeeded().out())
        .startsWith("VOLUME")
        .contains("\nvol1     64Mi   2         " + SECOND);
    JsonNode listed =
        new ObjectMapper()
            .readTree(holdfast("backup", "list", target.url(), "-o", "json").succeeded().out());
    assertThat(listed.get("items"))
        .extracting(item -> item.get("backup").asText())
        .containsExactly(FIRST, SECOND);
    assertThat(holdfast("backup", "verify", target.url()).succeeded().out())
        .contains(FIRST + "   intact   30       30        0")
        .contains(SECOND + "   intact   32       32        0");

    Path file = directory.resolve("snap2.raw");
    assertThat(
            holdfast("backup", "extract", url(SECOND), "--to", file.toString()).succeeded().out())
        .isEqualTo("backup vol1/" + SECOND + " is in " + file + ": 67108864 bytes");
    assertThat(LonghornBackupstore.sha256(file))
        .isEqualTo(LonghornBackupstore.expectedSha256("snap2"));
  }

  @Test
  void damagedBlockIsNamedAndLeavesNoFile() throws IOException {
    LonghornBackupstore damaged =
        LonghornBackupstore.unpackedIn(Files.createDirectory(directory.resolve("damaged")));
    JsonNode block =
        new ObjectMapper().readTree(damaged.configuration(FIRST).toFile()).at("/Blocks/7");
    Files.write(damaged.block(block.get("BlockChecksum").asText()), new byte[100]);
    String place = "offset " + block.get("Offset").asLong() + ", 2097152 bytes, object ";

    Command.Result verified = holdfast("backup", "verify", damaged.url());
    assertThat(verified.exitCode()).as(verified.err()).isOne();
    assertThat(verified.out()).contains("damaged: backup vol1/" + FIRST + ": " + place);
    Path out = Files.createDirectory(directory.resolve("out"));
    Command.Result extracted =
        holdfast(
            "backup",
            "extract",
            damaged.url() + "?backup=" + FIRST + "&volume=vol1",
            "--to",
            out.resolve("volume.raw").toString());
    assertThat(extracted.exitCode()).as(extracted.err()).isOne();
    assertThat(extracted.err()).contains(place);
    assertThat(out).isEmptyDirectory();
  }

  @Test
  void shellOfANodeHasTheSameVerbs() throws IOException {
    try (RunningNode node = RunningNode.start(directory.resolve("node"), "--disks", "0")) {
      assertThat(node.shell("holdfast:backup-ls " + target.url())).contains("vol1     64Mi");
      assertThat(node.shell("holdfast:backup-list " + target.url())).contains(FIRST, SECOND);
      assertThat(node.shell("holdfast:backup-verify '" + url(FIRST) + "'"))
          .contains(FIRST + "   intact   30");
      Path file = directory.resolve("snap1.raw");
      node.shell("holdfast:backup-extract --to " + file + " '" + url(FIRST) + "'");
      assertThat(LonghornBackupstore.sha256(file))
          .isEqualTo(LonghornBackupstore.expectedSha256("snap1"));
    }
  }
}

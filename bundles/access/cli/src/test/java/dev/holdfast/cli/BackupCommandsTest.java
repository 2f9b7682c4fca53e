package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.holdfast.backupstore.testkit.LonghornBackupstore;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The verbs on backups, without a node, on a directory that the real Longhorn wrote. */
class BackupCommandsTest {
  private static final String FIRST = LonghornBackupstore.FIRST;
  private static final String SECOND = LonghornBackupstore.SECOND;

  @TempDir Path folder;
  private LonghornBackupstore target;
  private Path out;

  @BeforeEach
  void unpack() throws Exception {
    target = LonghornBackupstore.unpackedIn(Files.createDirectory(folder.resolve("target")));
    out = Files.createDirectory(folder.resolve("out"));
  }

  private JsonNode json(int exitCode, String... arguments) throws Exception {
    NodelessCommand ended = NodelessCommand.run(arguments);
    assertThat(ended.exitCode()).as(ended.err()).isEqualTo(exitCode);
    return new JsonMapper().readTree(ended.out());
  }

  private String url(String backup) {
    return target.url() + "?backup=" + backup + "&volume=vol1";
  }

  private static void edit(Path file, String from, String to) throws Exception {
    String text = Files.readString(file);
    assertThat(text).contains(from);
    Files.writeString(file, text.replace(from, to));
  }

  /** Returns the checksum of the block of a backup at an offset. */
  private String checksum(String backup, long offset) throws Exception {
    for (JsonNode block :
        new JsonMapper().readTree(target.configuration(backup).toFile()).get("Blocks")) {
      if (block.get("Offset").asLong() == offset) {
        return block.get("BlockChecksum").asText();
      }
    }
    throw new AssertionError("no block at offset " + offset);
  }

  @Test
  void volumesOfATargetAreShown() throws Exception {
    assertThat(NodelessCommand.run("backup", "ls", target.url()))
        .isEqualTo(
            new NodelessCommand(
                0,
                """
                VOLUME   SIZE   BACKUPS   LAST BACKUP               ENGINE   IMAGE   CREATED
                vol1     64Mi   2         backup-7966edeab6654a48   v1       -       2026-11-20T23:22:58Z""",
                ""));
    JsonNode item = json(0, "backup", "ls", target.url(), "-o", "json").at("/items/0");
    assertThat(item.get("volume").asText()).isEqualTo("vol1");
    assertThat(item.get("sizeBytes").asLong()).isEqualTo(67_108_864);
    assertThat(item.get("backups").asInt()).isEqualTo(2);
  }

  @Test
  void targetWithoutBackupsIsExplained() throws Exception {
    NodelessCommand ended = NodelessCommand.run("backup", "ls", "file://" + out);
    assertThat(ended.exitCode()).isZero();
    assertThat(ended.out()).contains("No backups at file://" + out).contains("backupstore");
    assertThat(json(0, "backup", "list", "file://" + out, "-o", "json").get("items")).isEmpty();
  }

  @Test
  void backupsOfATargetAreShown() throws Exception {
    String expected =
        """
        VOLUME   BACKUP                    STATE      SIZE   SNAPSHOT   TAKEN                  STORED AS
        vol1     backup-0496a402e81d4902   complete   60Mi   snap1      2026-11-20T23:22:58Z   lz4 in 2Mi
        vol1     backup-7966edeab6654a48   complete   64Mi   snap2      2026-11-20T23:23:03Z   lz4 in 2Mi""";
    assertThat(NodelessCommand.run("backup", "list", target.url()))
        .isEqualTo(new NodelessCommand(0, expected, ""));
    assertThat(NodelessCommand.run("backup", "list", target.url(), "vol1").out())
        .isEqualTo(expected);
    assertThat(NodelessCommand.run("backup", "list", url(SECOND)).out())
        .doesNotContain(FIRST)
        .contains(SECOND);
    JsonNode items = json(0, "backup", "list", target.url(), "-o", "json").get("items");
    assertThat(items).hasSize(2);
    assertThat(items.get(0).get("sizeBytes").asLong()).isEqualTo(62_914_560);
    assertThat(items.get(1).get("incremental").asBoolean()).isTrue();
  }

  @Test
  void unreadableBackupIsNamedBesideTheOthers() throws Exception {
    edit(target.configuration(FIRST), "\"VolumeName\":\"vol1\"", "\"VolumeName\":\"vol2\"");

    NodelessCommand listed = NodelessCommand.run("backup", "list", target.url());
    assertThat(listed.exitCode()).isOne();
    assertThat(listed.out()).contains(FIRST + "   unreadable").contains(SECOND + "   complete");
    assertThat(listed.err())
        .isEqualTo(
            "holdfast: backup vol1/"
                + FIRST
                + ": damaged configuration: is that of the volume \"vol2\"");
    NodelessCommand verified = NodelessCommand.run("backup", "verify", target.url());
    assertThat(verified.exitCode()).isOne();
    assertThat(verified.out()).contains(FIRST + "   unreadable").contains(SECOND + "   intact");
    JsonNode item = json(1, "backup", "list", target.url(), "-o", "json").at("/items/0");
    assertThat(item.get("problem").asText()).contains("vol2");
  }

  @Test
  void unreadableVolumeIsNamedBesideTheOthers() throws Exception {
    edit(
        target.object(LonghornBackupstore.VOLUME_FOLDER + "/volume.cfg"),
        "\"Size\":\"67108864\"",
        "\"Size\":\"-1\"");

    for (String verb : List.of("ls", "list", "verify")) {
      NodelessCommand ended = NodelessCommand.run("backup", verb, target.url());
      assertThat(ended.exitCode()).as(verb).isOne();
      assertThat(ended.out()).as(verb).contains("unreadable");
      assertThat(ended.err()).as(verb).contains("volume vol1").contains("field Size");
    }
  }

  @Test
  void backupInProgressIsNotVerified() throws Exception {
    edit(
        target.configuration(SECOND),
        "\"CreatedTime\":\"2026-11-20T23:23:05Z\"",
        "\"CreatedTime\":\"\"");

    assertThat(NodelessCommand.run("backup", "list", target.url()).out())
        .contains(SECOND + "   in progress");
    NodelessCommand verified = NodelessCommand.run("backup", "verify", target.url());
    assertThat(verified.exitCode()).isZero();
    assertThat(verified.out()).contains(SECOND + "   in progress   -");
    assertThat(extract(SECOND, out.resolve("x")).err()).contains("is in progress");
  }

  @Test
  void intactBackupsAreVerified() throws Exception {
    NodelessCommand ended = NodelessCommand.run("backup", "verify", target.url());

    assertThat(ended.exitCode()).isZero();
    assertThat(ended.out())
        .isEqualTo(
            """
            VOLUME   BACKUP                    STATE    BLOCKS   CHECKED   DAMAGED
            vol1     backup-0496a402e81d4902   intact   30       30        0
            vol1     backup-7966edeab6654a48   intact   32       32        0""");
    assertThat(ended.err()).contains("verifying backup vol1/" + SECOND);
    assertThat(NodelessCommand.run("backup", "verify", url(FIRST), "--sample", "10").out())
        .contains(FIRST + "   sample intact   30       3         0")
        .doesNotContain(SECOND);
  }

  @Test
  void damagedBlocksAreNamedWithTheirOffsets() throws Exception {
    String missing = checksum(SECOND, 4 << 20);
    String flipped = checksum(SECOND, 62 << 20);
    Files.delete(target.block(missing));
    byte[] content = Files.readAllBytes(target.block(flipped));
    content[content.length / 2] ^= 1;
    Files.write(target.block(flipped), content);

    NodelessCommand ended = NodelessCommand.run("backup", "verify", target.url());

    assertThat(ended.exitCode()).isOne();
    assertThat(ended.out())
        .contains(SECOND + "   damaged   32       32        2")
        .contains(FIRST + "   intact    30       30        0")
        .contains("damaged: backup vol1/" + SECOND + ": offset 4194304, 2097152 bytes, object ")
        .contains(missing + ".blk: is missing")
        .contains("damaged: backup vol1/" + SECOND + ": offset 65011712, 2097152 bytes, object ");
    JsonNode damaged =
        json(1, "backup", "verify", url(SECOND), "-o", "json").at("/items/0/damaged");
    assertThat(damaged).hasSize(2);
    assertThat(damaged.at("/0/offset").asLong()).isEqualTo(4 << 20);
    assertThat(damaged.at("/0/reason").asText()).isEqualTo("is missing");
  }

  private NodelessCommand extract(String backup, Path file, String... more) {
    return NodelessCommand.run(
        Stream.concat(
                Stream.of("backup", "extract", url(backup), "--to", file.toString()),
                Stream.of(more))
            .toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({"snap1," + FIRST, "snap2," + SECOND})
  void extractedFileHasTheContentOfTheSnapshot(String snapshot, String backup) throws Exception {
    Path file = out.resolve("volume.raw");

    assertThat(extract(backup, file))
        .isEqualTo(
            new NodelessCommand(
                0, "backup vol1/" + backup + " is in " + file + ": 67108864 bytes", ""));
    assertThat(Files.size(file)).isEqualTo(64L << 20);
    assertThat(LonghornBackupstore.sha256(file))
        .isEqualTo(LonghornBackupstore.expectedSha256(snapshot));
  }

  @Test
  void damagedBackupIsExtractedOnlyOnRequest() throws Exception {
    Files.delete(target.block(checksum(SECOND, 4 << 20)));
    Path file = out.resolve("volume.raw");

    NodelessCommand refused = extract(SECOND, file);
    assertThat(refused.exitCode()).isOne();
    assertThat(refused.err())
        .startsWith("holdfast: backup vol1/" + SECOND + ": damaged block: offset 4194304, ")
        .endsWith("'holdfast backup verify' names all; --zero-damaged writes zeroes instead");
    assertThat(out).isEmptyDirectory();

    NodelessCommand zeroed = extract(SECOND, file, "--zero-damaged", "-o", "json");
    assertThat(zeroed.exitCode()).isZero();
    assertThat(zeroed.err()).contains("warning: zeroes instead of a damaged block: offset 4194304");
    JsonNode result = new JsonMapper().readTree(zeroed.out());
    assertThat(result.get("sizeBytes").asLong()).isEqualTo(64 << 20);
    assertThat(result.at("/damaged/0/offset").asLong()).isEqualTo(4 << 20);
    assertThat(Files.size(file)).isEqualTo(64L << 20);
  }

  @Test
  void existingFileIsKept() throws Exception {
    Path file = Files.writeString(out.resolve("present"), "present");

    NodelessCommand ended = extract(FIRST, file);
    assertThat(ended.exitCode()).isOne();
    assertThat(ended.err()).isEqualTo("holdfast: file " + file + ": exists: choose another name");
    assertThat(file).hasContent("present");
  }

  @Test
  void textOfTheTargetDoesNotReachTheTerminalAsIs() throws Exception {
    edit(target.configuration(FIRST), "\"snap1\"", "\"sn\\u001b[2Jap\\nvol9\"");

    NodelessCommand ended = NodelessCommand.run("backup", "list", target.url());
    assertThat(ended.out().getBytes(StandardCharsets.UTF_8)).doesNotContain(27);
    assertThat(ended.out().lines()).hasSize(3);
  }
}

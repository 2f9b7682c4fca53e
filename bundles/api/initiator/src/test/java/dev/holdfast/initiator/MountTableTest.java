package dev.holdfast.initiator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountTableTest {
  private static final MountTable TABLE =
      MountTable.parse(
          Stream.of(
              "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw",
              "41 27 7:0 / /mnt/my\\040disk rw,relatime - ext4 /dev/loop900 rw,discard",
              "42 27 0:39 / /run/fuse rw,nosuid shared:5 master:2 - fuse /dev/fuse rw,user_id=0",
              "43 27 0:40 / /run/fuse rw - tmpfs tmpfs rw",
              "this is not a line of mountinfo"));

  @Test
  void readsDirectoryTypeAndSource() {
    assertThat(TABLE.at(Path.of("/mnt/my disk")))
        .contains(new MountTable.Mount("7:0", Path.of("/mnt/my disk"), "ext4", "/dev/loop900"));
  }

  @Test
  void theUppermostMountCounts() {
    assertThat(TABLE.at(Path.of("/run/fuse")).orElseThrow().filesystem()).isEqualTo("tmpfs");
  }

  @Test
  void nothingIsMountedElsewhere() {
    assertThat(TABLE.at(Path.of("/run"))).isEmpty();
  }

  @Test
  void aDeviceThatIsGoneIsFoundByItsName() {
    assertThat(TABLE.of("/dev/loop900")).hasSize(1);
    assertThat(TABLE.of("/dev/loop901")).isEmpty();
  }

  @Test
  void theHostsOwnTableHasARoot() throws Exception {
    assertThat(MountTable.read().at(Path.of("/"))).isPresent();
  }

  @Test
  void namesOfOthersThatAreNotUtf8HideNoMount(@TempDir Path folder) throws Exception {
    String table =
        """
        41 27 7:0 / /mnt/disk rw - ext4 /dev/loop900 rw
        44 27 0:41 / /home/b/\u00ff\rx rw - fuse.x \u00fe rw
        45 27 7:1 / /mnt/other rw - ext4 /dev/loop901 rw
        """;
    Path file =
        Files.write(folder.resolve("mountinfo"), table.getBytes(StandardCharsets.ISO_8859_1));

    MountTable read = MountTable.read(file);

    assertThat(read.mounts()).hasSize(3);
    assertThat(read.at(Path.of("/mnt/other"))).isPresent();
  }

  /** In the locale C every name that is not ASCII is such a one. */
  @Test
  void mountThatThisProcessCannotNameIsLeftOut() {
    MountTable table =
        MountTable.parse(
            Stream.of(
                "44 27 0:41 / /mnt/\\000 rw - tmpfs tmpfs rw",
                "45 27 7:1 / /mnt/other rw - ext4 /dev/loop901 rw"));
    assertThat(table.mounts())
        .extracting(MountTable.Mount::directory)
        .containsExactly(Path.of("/mnt/other"));
  }
}

package dev.holdfast.initiator;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MountTableTest {
  private static final MountTable TABLE =
      MountTable.parse(
          Stream.of(
              "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw",
              "41 27 7:0 / /mnt/my\\040disk rw,relatime - ext4 /dev/loop900 rw,discard",
              "42 27 0:39 / /run/fuse rw,nosuid shared:5 master:2 - fuse /dev/fuse rw,user_id=0",
              "43 27 0:40 / /run/fuse rw - tmpfs tmpfs rw",
              "this is no line of mountinfo"));

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
}

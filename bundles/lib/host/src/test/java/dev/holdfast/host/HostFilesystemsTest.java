package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.initiator.HostProgram;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Filesystems in a file, with the host's real programs. */
class HostFilesystemsTest {
  @TempDir private Path folder;
  private final HostFilesystems host = new HostFilesystems(new LocalHost());
  private String device;

  @BeforeEach
  void makeABlankOne() throws Exception {
    device = folder.resolve("device").toString();
    try (RandomAccessFile file = new RandomAccessFile(device, "rw")) {
      file.setLength(64L << 20);
    }
  }

  @Test
  void blankDeviceIsFormattedWithTheGivenOptions() throws Exception {
    assertThat(host.filesystemOn(device, Optional.empty(), List.of("-L", "wanted")))
        .isEqualTo("ext4");
    assertThat(label()).isEqualTo("wanted");
  }

  @Test
  void existingFilesystemIsKept() throws Exception {
    host.filesystemOn(device, Optional.of(Filesystem.EXT4), List.of("-L", "first"));
    assertThat(host.filesystemOn(device, Optional.empty(), List.of("-L", "second")))
        .isEqualTo("ext4");
    assertThat(label()).isEqualTo("first");
    assertThatThrownBy(() -> host.filesystemOn(device, Optional.of(Filesystem.XFS)))
        .hasMessageContaining("holds ext4 already");
  }

  @Test
  void rejectedOptionsAreReportedAndNoFilesystemIsMade() throws Exception {
    assertThatThrownBy(() -> host.filesystemOn(device, Optional.empty(), List.of("-O", "none.of")))
        .hasMessageContaining("none.of");
    assertThat(host.filesystemPresent(device, Optional.empty())).isEmpty();
  }

  private String label() throws Exception {
    return HostProgram.check(
        Duration.ofMinutes(1),
        List.of(
            HostProgram.require("blkid", "util-linux").toString(),
            "--probe",
            "--match-tag",
            "LABEL",
            "--output",
            "value",
            device));
  }
}

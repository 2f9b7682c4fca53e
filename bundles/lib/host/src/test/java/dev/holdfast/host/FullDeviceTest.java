package dev.holdfast.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.initiator.HostProgram;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A filesystem on a device that rejects new blocks, like a volume on a full disk. */
@Timeout(120)
class FullDeviceTest {
  private static final int MOST_FILES = 4000;

  @TempDir private Path folder;
  private final HostFilesystems host = new HostFilesystems(new LocalHost());
  private Path disk;
  private Path mounted;
  private String device;

  @BeforeEach
  void mountOnASmallDisk() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    disk = Files.createDirectory(folder.resolve("disk"));
    mounted = Files.createDirectory(folder.resolve("mounted"));
    run("mount", "-t", "tmpfs", "-o", "size=32M", "small", disk.toString());
    Path image = disk.resolve("image");
    run("truncate", "--size=200M", image.toString());
    run("mkfs.ext4", "-q", "-J", "size=16", image.toString());
    device = run("losetup", "--find", "--show", image.toString());
    run("mount", device, mounted.toString());
  }

  @AfterEach
  void remove() throws Exception {
    for (List<String> command :
        List.of(
            List.of("umount", "--quiet", String.valueOf(mounted)),
            List.of("losetup", "--detach", String.valueOf(device)),
            List.of("umount", "--quiet", String.valueOf(disk)))) {
      var unused = HostProgram.run(Duration.ofMinutes(1), command);
    }
  }

  private static String run(String... command) throws Exception {
    List<String> found = new ArrayList<>(List.of(command));
    found.set(0, HostProgram.require(command[0], command[0]).toString());
    return HostProgram.check(Duration.ofMinutes(1), found).strip();
  }

  /** Writes durable files until the device rejects a write; returns their number. */
  private int fill() {
    int files = 0;
    try {
      while (files < MOST_FILES) {
        write("file-" + files, new byte[] {(byte) files});
        files++;
        if (files % 20 == 0) {
          write("large-" + files, new byte[1 << 19]);
        }
      }
    } catch (IOException e) {
      return files;
    }
    throw new AssertionError("the device accepted everything");
  }

  private void write(String name, byte[] content) throws IOException {
    Path file = mounted.resolve(name);
    Files.write(file, content);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  @Test
  void durableFilesAreKeptUntilTheDeviceAcceptsTheJournal() throws Exception {
    int durable = fill();
    assertThat(durable).isGreaterThan(20);
    run("umount", mounted.toString());
    assertThatThrownBy(() -> host.check(device, "ext4", mounted))
        .hasMessageContaining("did not accept the journal");

    run("mount", "-o", "remount,size=300M", disk.toString());
    host.check(device, "ext4", mounted);
    run("mount", device, mounted.toString());

    for (int i = 0; i < durable; i++) {
      assertThat(Files.readAllBytes(mounted.resolve("file-" + i))).containsExactly((byte) i);
    }
  }
}

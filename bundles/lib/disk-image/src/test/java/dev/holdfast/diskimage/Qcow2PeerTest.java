package dev.holdfast.diskimage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random valid images; QEMU and our reader must read the same content. */
class Qcow2PeerTest {
  @TempDir private Path directory;

  @BeforeEach
  void requireQemu() {
    assumeTrue(QemuImages.present(), "qemu-img and qemu-io (package qemu-utils) are not installed");
  }

  private void compare(long from, long count) throws Exception {
    QemuImages images = new QemuImages(directory);
    for (long seed = from; seed < from + count; seed++) {
      Path image = images.random(seed);
      byte[] expected = images.content(image);
      byte[] runs = ReadDisk.content(image, 8192 + (int) (seed % 7) * 4099);
      assertThat(runs).as("image of seed %s, by runs", seed).isEqualTo(expected);
      assertThat(ReadDisk.plainContent(image)).as("image of seed %s", seed).isEqualTo(expected);
      assertThat(ReadDisk.contentOfTwoReaders(image, 12_345))
          .as("image of seed %s, by two readers", seed)
          .isEqualTo(expected);
      Files.delete(image);
    }
  }

  @Test
  void randomImagesReadAsByQemu() throws Exception {
    compare(1, 20);
  }

  @Test
  @Tag("soak")
  void manyRandomImagesReadAsByQemu() throws Exception {
    compare(1000, 200);
  }
}

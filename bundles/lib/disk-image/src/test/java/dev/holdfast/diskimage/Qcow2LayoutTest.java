package dev.holdfast.diskimage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Written images are read by QEMU and by our own reader. */
class Qcow2LayoutTest {
  @TempDir private Path directory;

  /** Returns a disk with random data in random clusters. */
  private static byte[] disk(Random random, BitSet data) {
    int clusters = 1 + random.nextInt(60);
    int size = (clusters - 1) * Qcow2Layout.CLUSTER + 512 * (1 + random.nextInt(128));
    byte[] disk = new byte[size];
    for (int cluster = 0; cluster < clusters; cluster++) {
      if (random.nextInt(3) > 0) {
        int at = cluster * Qcow2Layout.CLUSTER;
        byte[] bytes = new byte[Math.min(Qcow2Layout.CLUSTER, size - at)];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, disk, at, bytes.length);
        data.set(cluster);
      }
    }
    return disk;
  }

  private static byte[] written(Qcow2Layout layout, byte[] disk, long offset, long length)
      throws Exception {
    ByteBuffer image = ByteBuffer.allocate((int) length);
    layout.write(
        offset,
        length,
        new Qcow2Layout.Output() {
          @Override
          public void table(ByteBuffer bytes) {
            image.put(bytes);
          }

          @Override
          public void disk(long at, long count) {
            // A range may start beyond the end of the disk.
            int inside = (int) Math.max(0, Math.min(count, disk.length - at));
            image.put(disk, (int) Math.min(at, disk.length), inside);
            image.put(new byte[(int) count - inside]);
          }
        });
    assertThat(image.hasRemaining()).isFalse();
    return image.array();
  }

  private void compare(long from, long count) throws Exception {
    assumeTrue(QemuImages.present(), "qemu-img (package qemu-utils) is not installed");
    QemuImages qemu = new QemuImages(directory);
    for (long seed = from; seed < from + count; seed++) {
      Random random = new Random(seed);
      BitSet data = new BitSet();
      byte[] disk = disk(random, data);
      Qcow2Layout layout = new Qcow2Layout(disk.length, data);
      byte[] image = written(layout, disk, 0, layout.length());
      Path file = Files.write(directory.resolve("image.qcow2"), image);

      qemu.run(List.of("qemu-img", "check", "-q", file.toString()));
      assertThat(qemu.content(file)).as("image of seed %s", seed).isEqualTo(disk);
      assertThat(ReadDisk.content(file, 4096)).as("image of seed %s", seed).isEqualTo(disk);
      long offset = random.nextLong(layout.length());
      long length = 1 + random.nextLong(layout.length() - offset);
      assertThat(written(layout, disk, offset, length))
          .as("range of the image of seed %s", seed)
          .isEqualTo(Arrays.copyOfRange(image, (int) offset, (int) (offset + length)));
    }
  }

  @Test
  void randomDisksReadAsByQemu() throws Exception {
    compare(1, 10);
  }

  @Test
  @Tag("soak")
  void manyRandomDisksReadAsByQemu() throws Exception {
    compare(100, 200);
  }

  @Test
  void diskWithoutDataHasOnlyTables() throws Exception {
    assumeTrue(QemuImages.present(), "qemu-img (package qemu-utils) is not installed");
    Qcow2Layout layout = new Qcow2Layout(1 << 20, new BitSet());
    Path file = directory.resolve("empty.qcow2");
    Files.write(file, written(layout, new byte[0], 0, layout.length()));

    new QemuImages(directory).run(List.of("qemu-img", "check", "-q", file.toString()));
    assertThat(ReadDisk.content(file, 4096)).isEqualTo(new byte[1 << 20]);
  }

  /** Covers several reference blocks, and several clusters of the first-level table. */
  @Test
  void tablesOfALargeDiskAreRight() throws Exception {
    assumeTrue(QemuImages.present(), "qemu-img (package qemu-utils) is not installed");
    BitSet data = new BitSet();
    data.set(0, 66_000);
    data.set((int) ((5L << 40) / Qcow2Layout.CLUSTER));
    Qcow2Layout layout = new Qcow2Layout((5L << 40) + 4096, data);
    Path file = directory.resolve("large.qcow2");
    try (RandomAccessFile image = new RandomAccessFile(file.toFile(), "rw")) {
      // The data clusters remain holes.
      layout.write(0, layout.length(), new Tables(image));
      image.setLength(layout.length());
    }
    new QemuImages(directory).run(List.of("qemu-img", "check", "-q", file.toString()));
  }

  private record Tables(RandomAccessFile image) implements Qcow2Layout.Output {
    @Override
    public void table(ByteBuffer bytes) {
      try {
        byte[] array = new byte[bytes.remaining()];
        bytes.get(array);
        image.write(array);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void disk(long offset, long length) {
      try {
        image.seek(image.getFilePointer() + length);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}

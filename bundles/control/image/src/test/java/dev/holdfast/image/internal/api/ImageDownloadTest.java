package dev.holdfast.image.internal.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.diskimage.DiskImages;
import dev.holdfast.diskimage.FileBytes;
import dev.holdfast.diskimage.VirtualDisk;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.ContentSink;
import dev.holdfast.image.internal.content.ImageContent;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.BackingImageSpec;
import dev.holdfast.resource.image.BackingImageStatus;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of an image in both formats, whole and in ranges. */
class ImageDownloadTest {
  private static final int CLUSTER = 1 << 16;
  private static final int SIZE = 20 * CLUSTER + 512;

  @TempDir private Path directory;
  private final byte[] content = new byte[SIZE];
  private final BitSet stored = new BitSet();
  private final BackingImage image =
      BackingImage.of("debian", BackingImageSpec.EMPTY)
          .withStatus(
              BackingImageStatus.EMPTY
                  .withVirtualSize(new Quantity(SIZE))
                  .withContentChecksum("sum"));

  /** Returns content with random clusters, and a partial last cluster. */
  private ImageContent content() {
    Random random = new Random(8);
    for (int cluster = 0; cluster <= SIZE / CLUSTER; cluster++) {
      if (random.nextBoolean() || cluster == SIZE / CLUSTER) {
        int at = cluster * CLUSTER;
        byte[] bytes = new byte[Math.min(CLUSTER, SIZE - at)];
        random.nextBytes(bytes);
        System.arraycopy(bytes, 0, content, at, bytes.length);
        stored.set(cluster);
      }
    }
    return new Stored();
  }

  private final class Stored implements ImageContent {
    @Override
    public BitSet dataClusters(long size, int cluster) {
      return stored;
    }

    @Override
    public void copyTo(long offset, long length, ContentSink sink) throws StorageException {
      for (long at = offset; at < offset + length; ) {
        int cluster = (int) (at / CLUSTER);
        long count = Math.min((cluster + 1L) * CLUSTER, offset + length) - at;
        if (stored.get(cluster)) {
          sink.data(ByteBuffer.wrap(content, (int) at, (int) count).slice());
        } else {
          sink.zeroes(count);
        }
        at += count;
      }
    }
  }

  private static byte[] file(ImageDownload download, long offset, long length) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BodySink sink = new BodySink(() -> out);
    download.write(new ByteRange(offset, length), sink);
    sink.finish();
    return out.toByteArray();
  }

  private static void rangesAreRight(ImageDownload download, byte[] whole) throws Exception {
    Random random = new Random(9);
    for (int i = 0; i < 50; i++) {
      int offset = random.nextInt(whole.length);
      int length = 1 + random.nextInt(Math.min(3 * CLUSTER, whole.length - offset));
      assertThat(file(download, offset, length))
          .as("%s bytes at %s", length, offset)
          .isEqualTo(Arrays.copyOfRange(whole, offset, offset + length));
    }
  }

  @Test
  void rawIsTheContent() throws Exception {
    ImageDownload download = ImageDownload.raw(image, content());

    assertThat(file(download, 0, download.size())).isEqualTo(content);
    assertThat(download.tag()).isEqualTo("\"sum\"");
    rangesAreRight(download, content);
  }

  @Test
  void qcow2DescribesTheContentWithoutItsHoles() throws Exception {
    ImageDownload download = ImageDownload.qcow2(image, content());
    byte[] whole = file(download, 0, download.size());
    Path file = Files.write(directory.resolve("image.qcow2"), whole);

    byte[] read = new byte[SIZE];
    try (VirtualDisk disk =
        DiskImages.open(FileBytes.open("debian", file), Optional.empty(), 1L << 30)) {
      assertThat(disk.size()).isEqualTo(SIZE);
      disk.read(0, ByteBuffer.wrap(read));
    }
    assertThat(read).isEqualTo(content);
    assertThat(whole).hasSize((stored.cardinality() + 5) * CLUSTER);
    rangesAreRight(download, whole);
  }

  @Test
  void tagOfQcow2TellsWhichClustersAreStored() throws Exception {
    String tag = ImageDownload.qcow2(image, content()).tag();
    stored.set(stored.nextClearBit(0));
    assertThat(ImageDownload.qcow2(image, new Stored()).tag()).isNotEqualTo(tag);
  }
}

package dev.holdfast.imagesource.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.diskimage.DiskImages;
import dev.holdfast.diskimage.FileBytes;
import dev.holdfast.diskimage.VirtualDisk;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.imagesource.ImageRequest;
import dev.holdfast.imagesource.ImageSink;
import dev.holdfast.imagesource.ImageTransfer;
import dev.holdfast.imagesource.SourceDisk;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Volumes as raw and as qcow2 files. */
class VolumeSourceTest {
  private static final int SIZE = 5 << 20;

  @TempDir private Path directory;
  private final byte[] content = new byte[SIZE];

  @BeforeEach
  void fill() {
    new Random(6).nextBytes(content);
    Arrays.fill(content, 1 << 20, 3 << 20, (byte) 0);
  }

  private final class Disks implements ClusterDisks {
    @Override
    public SourceDisk volume(String volume, String snapshot) {
      assertThat(volume).isEqualTo("vol");
      assertThat(snapshot).isEqualTo("before");
      return new Disk();
    }

    @Override
    public SourceDisk image(String image) {
      throw new AssertionError("no image is read");
    }
  }

  private final class Disk implements SourceDisk {
    @Override
    public long size() {
      return SIZE;
    }

    @Override
    public BitSet dataClusters(int cluster) {
      BitSet data = new BitSet();
      data.set(0, (1 << 20) / cluster);
      data.set((3 << 20) / cluster, SIZE / cluster);
      return data;
    }

    @Override
    public void copy(long offset, long length, Target target) throws StorageException {
      target.data(ByteBuffer.wrap(content, (int) offset, (int) length).slice());
    }

    @Override
    public void close() {
      // Nothing is held.
    }
  }

  /** Keeps the file. */
  private static final class File implements ImageSink {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private long total;

    @Override
    public void takeAsDisk() {
      // The test looks at the bytes only.
    }

    @Override
    public long position() {
      return bytes.size();
    }

    @Override
    public Optional<String> mark() {
      return Optional.empty();
    }

    @Override
    public void restart(Optional<String> mark) {
      bytes.reset();
    }

    @Override
    public void total(long announced) {
      total = announced;
    }

    @Override
    public void write(ByteBuffer source) {
      byte[] taken = new byte[source.remaining()];
      source.get(taken);
      bytes.writeBytes(taken);
    }

    @Override
    public void zeroes(long length) {
      bytes.writeBytes(new byte[(int) length]);
    }
  }

  private ImageTransfer begin(String type) throws StorageException {
    return new VolumeSource()
        .begin(
            new ImageRequest(
                "debian",
                Map.of("volume-name", "vol", "snapshot-name", "before", "export-type", type),
                address -> {},
                Optional.empty(),
                new Disks(),
                Optional.empty()));
  }

  private byte[] exported(String type) throws Exception {
    File file = new File();
    try (ImageTransfer transfer = begin(type)) {
      transfer.run(file);
    }
    assertThat(file.total).isEqualTo(file.bytes.size());
    return file.bytes.toByteArray();
  }

  @Test
  void rawFileIsTheContent() throws Exception {
    assertThat(exported("raw")).isEqualTo(content);
  }

  @Test
  void qcow2FileDescribesTheContent() throws Exception {
    Path file = Files.write(directory.resolve("image"), exported("qcow2"));
    byte[] read = new byte[SIZE];
    try (VirtualDisk disk =
        DiskImages.open(FileBytes.open("debian", file), Optional.empty(), 1 << 30)) {
      disk.read(0, ByteBuffer.wrap(read));
    }
    assertThat(read).isEqualTo(content);
    assertThat(Files.size(file)).isLessThan(SIZE - (1 << 20));
  }

  @Test
  void otherTypeIsRefused() {
    assertThatThrownBy(() -> begin("vmdk"))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("spec.sourceParameters[export-type]: \"vmdk\": expected raw or");
  }

  @Test
  void closedTransferEnds() throws Exception {
    ImageTransfer transfer = begin("raw");
    transfer.close();
    assertThatThrownBy(() -> transfer.run(new File())).isInstanceOf(StorageException.class);
  }
}

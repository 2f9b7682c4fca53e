package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.image.ImageBackupRequest;
import dev.holdfast.backupstore.image.ImageBackupWriter;
import dev.holdfast.backupstore.image.ImageSource;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.ImageSink;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The image source "restore" delivers the bytes of a backup, and resumes an interrupted transfer.
 */
class ImageRestoreTest {
  private final MemoryTargets targets = new MemoryTargets();
  private final byte[] content = new byte[3 << 20];

  ImageRestoreTest() {
    new Random(22).nextBytes(content);
    Arrays.fill(content, 1 << 20, content.length - 8, (byte) 0);
  }

  /** Receives bytes, and may already have those of an earlier transfer. */
  private static final class Sink implements ImageSink {
    private ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private Optional<String> mark = Optional.empty();
    private boolean disk;
    private long taken;

    @Override
    public long position() {
      return bytes.size();
    }

    @Override
    public Optional<String> mark() {
      return mark;
    }

    @Override
    public void restart(Optional<String> newMark) {
      mark = newMark;
      bytes = new ByteArrayOutputStream();
    }

    @Override
    public void takeAsDisk() {
      disk = true;
    }

    @Override
    public void total(long total) {}

    @Override
    public void write(ByteBuffer written) {
      byte[] piece = new byte[written.remaining()];
      written.get(piece);
      bytes.writeBytes(piece);
      taken += piece.length;
    }

    @Override
    public void zeroes(long length) {
      bytes.writeBytes(new byte[(int) length]);
      taken += length;
    }
  }

  private void backUp(String contentChecksum) throws StorageException {
    ImageSource source =
        new ImageSource() {
          @Override
          public long sizeBytes() {
            return content.length;
          }

          @Override
          public BitSet dataBlocks(int blockSize) {
            BitSet all = new BitSet();
            all.set(0, (content.length + blockSize - 1) / blockSize);
            return all;
          }

          @Override
          public void read(long offset, ByteBuffer target) {
            target.put(content, (int) offset, target.remaining());
          }
        };
    var unused =
        new ImageBackupWriter(targets.store, 1, targets.options.timing())
            .write(
                new ImageBackupRequest("debian", "", contentChecksum, Compression.LZ4, Map.of()),
                source,
                LonghornBackupWriter.Progress.NONE);
  }

  private void restore(Sink sink) throws StorageException {
    new ImageRestoreTransfer(
            targets.installed(), new TargetAccess(MemoryTargets.URL, "", ""), "debian")
        .run(sink);
  }

  @Test
  void backupIsDelivered() throws Exception {
    backUp("content");
    Sink sink = new Sink();
    restore(sink);

    assertThat(sink.bytes.toByteArray()).isEqualTo(content);
    assertThat(sink.disk).as("its bytes are those of the disk").isTrue();
  }

  @Test
  void fileThatAnotherProgramBackedUpMayHaveAnyFormat() throws Exception {
    backUp("");
    Sink sink = new Sink();
    restore(sink);

    assertThat(sink.bytes.toByteArray()).isEqualTo(content);
    assertThat(sink.disk).isFalse();
  }

  @Test
  void restoreContinuesWhereItBrokeOffIfTheBackupIsTheSame() throws Exception {
    backUp("content");
    Sink sink = new Sink();
    restore(sink);
    Sink partial = new Sink();
    partial.restart(sink.mark);
    partial.bytes.write(content, 0, 1_000_000);
    restore(partial);
    assertThat(partial.bytes.toByteArray()).isEqualTo(content);
    assertThat(partial.taken).isEqualTo(content.length - 1_000_000L);

    Sink another = new Sink();
    another.restart(Optional.of("of another image"));
    another.bytes.write(7);
    restore(another);
    assertThat(another.bytes.toByteArray()).isEqualTo(content);
  }

  @Test
  void absentBackupIsNamed() {
    assertThatThrownBy(() -> restore(new Sink()))
        .hasMessageContaining("image debian: has no backup at the target");
  }
}

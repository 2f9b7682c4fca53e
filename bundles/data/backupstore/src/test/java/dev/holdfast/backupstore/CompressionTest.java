package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Stored forms of blocks, also those that a hostile target made. */
class CompressionTest {
  private static final int BLOCK = 64 << 10;

  private static byte[] stored(Compression compression, byte[] block) throws IOException {
    ByteBuffer bytes = compression.compress(block);
    byte[] stored = new byte[bytes.remaining()];
    bytes.get(stored);
    return stored;
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void formOfALargerBlockIsRefused(Compression compression) throws Exception {
    byte[] stored = stored(compression, new byte[BLOCK + 1]);
    assertThatThrownBy(() -> compression.decompressAtMost(stored, stored.length, new byte[BLOCK]))
        .isInstanceOf(IOException.class);
  }

  /** A frame of 64 KiB that stands for 1 GiB would be a bomb. */
  @Test
  void zstdWritesIntoTheBlockOnly() throws Exception {
    byte[] stored = stored(Compression.ZSTD, new byte[256 << 20]);
    assertThat(stored.length).isLessThan(BLOCK);
    byte[] block = new byte[BLOCK];
    assertThatThrownBy(() -> Compression.ZSTD.decompressAtMost(stored, stored.length, block))
        .isInstanceOf(IOException.class);
  }

  @Test
  void randomFramesOfZstdAreRefusedOrRead() throws Exception {
    Random random = new Random(11);
    byte[] content = new byte[BLOCK];
    Arrays.fill(content, (byte) 'x');
    byte[] frame = stored(Compression.ZSTD, content);
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] hostile = Arrays.copyOf(frame, 4 + random.nextInt(2 * frame.length));
      for (int flips = random.nextInt(4); flips >= 0; flips--) {
        hostile[random.nextInt(hostile.length)] = (byte) random.nextInt();
      }
      try {
        int count = Compression.ZSTD.decompressAtMost(hostile, hostile.length, new byte[BLOCK]);
        assertThat(count).isBetween(0, BLOCK);
      } catch (IOException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(10_000);
  }

  @Test
  void unknownMethodsAreRefusedWithTheKnownOnes() throws Exception {
    assertThat(Compression.ofPacked("volume v", "zstd")).isEqualTo(Compression.ZSTD);
    assertThatThrownBy(() -> Compression.ofPacked("volume v", "brotli"))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
        .hasMessageContaining("volume v: compression method \"brotli\"", "zstd");
    assertThatThrownBy(() -> Compression.of("volume v", "zstd"))
        .hasMessageContaining("reads lz4, gzip and none");
  }
}

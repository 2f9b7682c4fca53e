package dev.holdfast.image.internal.content;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ContentDigestTest {
  private static String plain(byte[] content) {
    ContentDigest digest = new ContentDigest(content.length);
    digest.data(ByteBuffer.wrap(content));
    return digest.finish();
  }

  @Test
  void checksumDependsOnBytesAndNotOnHoles() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      byte[] content = new byte[random.nextInt(40 << 20)];
      ContentDigest digest = new ContentDigest(content.length);
      for (int at = 0; at < content.length; ) {
        int length = Math.min(content.length - at, 1 + random.nextInt(12 << 20));
        if (random.nextBoolean()) {
          digest.zeroes(length);
        } else {
          byte[] piece = new byte[length];
          random.nextBytes(piece);
          System.arraycopy(piece, 0, content, at, length);
          digest.data(ByteBuffer.wrap(piece));
        }
        at += length;
      }
      assertThat(digest.finish()).as("seed %s", seed).isEqualTo(plain(content));
    }
  }

  @Test
  void oneBitAndTheSizeCount() {
    byte[] content = new byte[(16 << 20) + 1];
    String zeroes = plain(content);
    content[16 << 20] = 1;
    assertThat(plain(content)).isNotEqualTo(zeroes);
    assertThat(plain(new byte[(16 << 20) + 2])).isNotEqualTo(zeroes);
    assertThat(zeroes).startsWith("sha256-16m:");
  }
}

package dev.holdfast.diskimage;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/**
 * Changes of a valid image, found by coverage. Each run repeats the stored ones; {@code -Dfuzz}
 * searches for new ones.
 */
class Qcow2GuidedFuzzTest {
  private static final long LARGEST = 16 << 20;
  private static final int CHANGE = Short.BYTES + Long.BYTES;

  /**
   * Each change consists of an offset and eight new bytes; an offset above 32767 truncates the
   * image.
   */
  @FuzzTest(maxDuration = "2m")
  void anyImageIsReadToItsEndOrRefused(byte[] input) {
    ByteBuffer image = HandmadeImage.make();
    int limit = image.limit();
    ByteBuffer changes = ByteBuffer.wrap(input);
    while (changes.remaining() >= CHANGE) {
      int place = Short.toUnsignedInt(changes.getShort());
      int at = place % (HandmadeImage.CLUSTERS * HandmadeImage.CLUSTER / Long.BYTES) * Long.BYTES;
      if (place > Short.MAX_VALUE) {
        limit = Math.min(limit, at);
        changes.getLong();
      } else {
        image.putLong(at, changes.getLong());
      }
    }
    try {
      HandmadeImage.content(image.limit(limit), LARGEST);
    } catch (StorageException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.INVALID);
    }
  }
}

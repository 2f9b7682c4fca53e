package dev.holdfast.diskimage;

import static dev.holdfast.diskimage.HandmadeImage.CLUSTER;
import static dev.holdfast.diskimage.HandmadeImage.CLUSTERS;
import static dev.holdfast.diskimage.HandmadeImage.COMPRESSED;
import static dev.holdfast.diskimage.HandmadeImage.COPIED;
import static dev.holdfast.diskimage.HandmadeImage.L1;
import static dev.holdfast.diskimage.HandmadeImage.L2A;
import static dev.holdfast.diskimage.HandmadeImage.L2B;
import static dev.holdfast.diskimage.HandmadeImage.PACKED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Thousands of hostile images: truncated at each entry of each table, and with each wrong offset in
 * each entry. {@link HostileImageTest} has one image of each kind.
 */
@Tag("soak")
class ManyHostileImagesTest {
  private static void assertRefused(String what, ByteBuffer image) {
    try {
      HandmadeImage.content(image);
    } catch (StorageException e) {
      assertThat(e.code()).as("%s: %s", what, e).isEqualTo(ErrorCode.INVALID);
      return;
    }
    fail(what + ": the image was accepted");
  }

  @Test
  void imageThatIsCutAtAnyEntryIsRefused() {
    int cuts = 0;
    for (int end = Long.BYTES; end <= PACKED; end += Long.BYTES) {
      ByteBuffer image = HandmadeImage.make();
      assertRefused("cut at " + end, image.limit(end));
      cuts++;
    }
    assertThat(cuts).isGreaterThan(500);
  }

  /** Returns all occupied clusters, and offsets outside of the file. */
  private static List<Long> occupied() {
    List<Long> places = new ArrayList<>();
    for (long cluster = 1; cluster < CLUSTERS; cluster++) {
      places.add(cluster * CLUSTER);
    }
    places.addAll(List.of((long) CLUSTERS * CLUSTER, 1L << 40, (1L << 56) - CLUSTER));
    return places;
  }

  @Test
  void entryThatPointsToAnotherOnesClusterIsRefusedInEachPlace() {
    int count = 0;
    for (int table : new int[] {L2A, L2B}) {
      int used = table == L2A ? 512 : 256;
      for (int entry = 0; entry < used; entry += 3) {
        for (long place : occupied()) {
          int at = table + entry * Long.BYTES;
          ByteBuffer image = HandmadeImage.make();
          if ((image.getLong(at) & ~COPIED) != place && image.getLong(at) >>> 62 != 1) {
            image.putLong(at, place | COPIED);
            assertRefused("entry " + at + " to " + place, image);
            count++;
          }
        }
      }
    }
    for (int entry = 0; entry < 2; entry++) {
      for (long place : occupied()) {
        int at = L1 + entry * Long.BYTES;
        ByteBuffer image = HandmadeImage.make();
        if ((image.getLong(at) & ~COPIED) != place) {
          image.putLong(at, place | COPIED);
          assertRefused("table " + at + " to " + place, image);
          count++;
        }
      }
    }
    assertThat(count).isGreaterThan(500);
  }

  @Test
  void packedClusterInsideAnythingElseIsRefusedAtEachSector() {
    for (int sector = 0; sector < PACKED / 512; sector++) {
      ByteBuffer image = HandmadeImage.make();
      image.putLong(HandmadeImage.PACKED_ENTRY, COMPRESSED | (long) sector * 512);
      assertRefused("packed at sector " + sector, image);
    }
  }
}

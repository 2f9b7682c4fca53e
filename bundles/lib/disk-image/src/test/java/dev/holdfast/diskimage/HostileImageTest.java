package dev.holdfast.diskimage;

import static dev.holdfast.diskimage.HandmadeImage.CLUSTER;
import static dev.holdfast.diskimage.HandmadeImage.COMPRESSED;
import static dev.holdfast.diskimage.HandmadeImage.COPIED;
import static dev.holdfast.diskimage.HandmadeImage.L1;
import static dev.holdfast.diskimage.HandmadeImage.L2A;
import static dev.holdfast.diskimage.HandmadeImage.L2B;
import static dev.holdfast.diskimage.HandmadeImage.PACKED;
import static dev.holdfast.diskimage.HandmadeImage.PACKED_ENTRY;
import static dev.holdfast.diskimage.HandmadeImage.SIZE_SHIFT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Hostile images; each one is rejected for its reason. */
class HostileImageTest {
  private static final long TABLE_OFFSET = 0x00fffffffffffe00L;

  /**
   * A change that makes a valid image hostile.
   *
   * @param reason part of the message
   */
  record Attack(String name, String reason, Consumer<ByteBuffer> change) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final List<String> FILES =
      List.of(
          "/etc/shadow",
          "../../etc/shadow",
          "file:/etc/shadow",
          "json:{\"driver\":\"file\",\"filename\":\"/etc/shadow\"}",
          "json:{\"driver\":\"nbd\",\"host\":\"127.0.0.1\",\"port\":\"10809\"}",
          "nbd://127.0.0.1/volume",
          "nbd:unix:/run/nbd.sock",
          "ssh://root@127.0.0.1/etc/shadow",
          "https://169.254.169.254/latest",
          "fat:/etc",
          "host_device:/dev/sda",
          "/proc/self/environ",
          "/dev/stdin");

  static Stream<Attack> attacks() {
    List<Attack> attacks = new ArrayList<>();
    headers(attacks);
    otherFiles(attacks);
    tables(attacks);
    entries(attacks);
    cuts(attacks);
    return attacks.stream();
  }

  private static void headers(List<Attack> attacks) {
    for (int version : new int[] {0, 1, 4, -1}) {
      attacks.add(new Attack("version " + version, "version", i -> i.putInt(4, version)));
    }
    for (int bits : new int[] {-1, 0, 8, 22, 31, 32, 63, 64, Integer.MAX_VALUE}) {
      attacks.add(new Attack("cluster bits " + bits, "cluster bits", i -> i.putInt(20, bits)));
    }
    for (long size : new long[] {0, -1, Long.MIN_VALUE}) {
      attacks.add(new Attack("size " + size, "empty", i -> i.putLong(24, size)));
    }
    for (long size : new long[] {ReadDisk.LIMIT + 1, 1L << 53, 1L << 62, Long.MAX_VALUE}) {
      attacks.add(new Attack("size " + size, "limit", i -> i.putLong(24, size)));
    }
    attacks.add(new Attack("size over table", "entries", i -> i.putLong(24, 5 << 20)));
    for (int entries : new int[] {0, 1, -1, Integer.MIN_VALUE, 1 << 23, Integer.MAX_VALUE}) {
      attacks.add(new Attack("L1 of " + entries, "entries", i -> i.putInt(36, entries)));
    }
    attacks.add(new Attack("L1 past the end", "outside", i -> i.putInt(36, 1 << 20)));
    for (int crypt : new int[] {1, 2, -1}) {
      attacks.add(new Attack("encryption " + crypt, "encrypted", i -> i.putInt(32, crypt)));
    }
    attacks.add(new Attack("corrupt", "corrupt", i -> i.putLong(72, 2)));
    attacks.add(new Attack("data file", "data file", i -> i.putLong(72, 4)));
    attacks.add(new Attack("no compression", "compression type", i -> i.putLong(72, 8)));
    for (int bit = 4; bit < 64; bit += 5) {
      long feature = 1L << bit;
      attacks.add(new Attack("feature " + bit, "not supported", i -> i.putLong(72, feature)));
    }
    for (int length : new int[] {0, 72, 103, 105, 108, 1 << 30, -8}) {
      attacks.add(new Attack("header of " + length, "length", i -> i.putInt(100, length)));
    }
    attacks.add(
        new Attack(
            "compression type 2",
            "compression type",
            i -> i.putLong(72, 8).putInt(100, 112).put(104, (byte) 2)));
    attacks.add(
        new Attack(
            "compression without its feature",
            "compression type",
            i -> i.putInt(100, 112).put(104, (byte) 1)));
  }

  private static void otherFiles(List<Attack> attacks) {
    for (String file : FILES) {
      byte[] name = file.getBytes(StandardCharsets.UTF_8);
      attacks.add(
          new Attack(
              "backing file " + file,
              "backing file",
              i -> i.putLong(8, 512).putInt(16, name.length).put(512, name)));
      attacks.add(
          new Attack(
              "data file " + file,
              "another file",
              i -> i.putInt(104, 0x44415441).putInt(108, name.length).put(112, name)));
    }
    attacks.add(new Attack("backing size only", "backing file", i -> i.putInt(16, 5)));
    attacks.add(
        new Attack(
            "backing format",
            "another file",
            i -> i.putInt(104, 0xe2792aca).putInt(108, 3).putInt(112, 0x72617700)));
    attacks.add(new Attack("LUKS", "encryption", i -> i.putInt(104, 0x0537be77).putInt(108, 16)));
    for (int length : new int[] {CLUSTER, -1, Integer.MAX_VALUE}) {
      attacks.add(
          new Attack(
              "extension of " + length,
              "extension",
              i -> i.putInt(104, 0x12345678).putInt(108, length)));
    }
  }

  private static void tables(List<Attack> attacks) {
    long[] places = {0, -CLUSTER, 9 * CLUSTER, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE};
    for (long place : places) {
      attacks.add(new Attack("L1 at " + place, "first-level", i -> i.putLong(40, place)));
      attacks.add(new Attack("references at " + place, "reference", i -> i.putLong(48, place)));
    }
    attacks.add(new Attack("L1 at odd place", "start of a", i -> i.putLong(40, L1 + 512)));
    attacks.add(new Attack("L1 is the header", "first-level", i -> i.putLong(40, 0)));
    for (int other : new int[] {1, 2, 4}) {
      attacks.add(
          new Attack("L1 in cluster " + other, "", i -> i.putLong(40, (long) other * CLUSTER)));
    }
    attacks.add(new Attack("huge references", "reference", i -> i.putInt(56, -1)));
    attacks.add(new Attack("many snapshots", "snapshots", i -> i.putInt(60, -1)));
    attacks.add(new Attack("snapshots at 0", "snapshot", i -> i.putInt(60, 1)));
    attacks.add(
        new Attack(
            "snapshots past the end",
            "snapshot",
            i -> i.putInt(60, 3000).putLong(64, 8 * CLUSTER)));
    attacks.add(new Attack("block outside", "outside", i -> i.putLong(CLUSTER, 100L * CLUSTER)));
    attacks.add(new Attack("block is L1", "overlaps", i -> i.putLong(CLUSTER, L1)));
    for (int cluster : new int[] {1, 2, 3}) {
      attacks.add(
          new Attack(
              "L2 in cluster " + cluster,
              "overlaps",
              i -> i.putLong(L1, (long) cluster * CLUSTER | COPIED)));
    }
    attacks.add(new Attack("L2 twice", "overlaps", i -> i.putLong(L1, L2B | COPIED)));
    for (long entry : new long[] {9 * CLUSTER, L2A + 512, L2A | 1, TABLE_OFFSET, 1L << 60}) {
      attacks.add(new Attack("L1 entry " + entry, "first-level entry", i -> i.putLong(L1, entry)));
    }
  }

  private static void entries(List<Attack> attacks) {
    for (int cluster : new int[] {1, 2, 3, 4, 6, 7, 8}) {
      attacks.add(
          new Attack(
              "data in cluster " + cluster,
              "overlaps",
              i -> i.putLong(L2A, (long) cluster * CLUSTER | COPIED)));
    }
    long[] outside = {9 * CLUSTER, 1L << 40, TABLE_OFFSET & -CLUSTER};
    for (long place : outside) {
      attacks.add(new Attack("data at " + place, "outside", i -> i.putLong(L2A, place)));
      attacks.add(new Attack("data b at " + place, "outside", i -> i.putLong(L2B, place)));
    }
    for (long place : new long[] {5 * CLUSTER + 512, 5 * CLUSTER + 2048}) {
      attacks.add(new Attack("data at " + place, "start of a", i -> i.putLong(L2A, place)));
    }
    for (int bit : new int[] {1, 2, 5, 8, 56, 59, 61}) {
      attacks.add(
          new Attack(
              "reserved bit " + bit, "reserved", i -> i.putLong(L2A, 5 * CLUSTER | 1L << bit)));
    }
    attacks.add(
        new Attack(
            "packed and copied",
            "reserved",
            i -> i.putLong(PACKED_ENTRY, COMPRESSED | COPIED | PACKED)));
    for (long place : new long[] {0, 9 * CLUSTER, 1L << 50, (1L << SIZE_SHIFT) - 1}) {
      attacks.add(
          new Attack(
              "packed at " + place, "packed", i -> i.putLong(PACKED_ENTRY, COMPRESSED | place)));
    }
    for (int cluster : new int[] {1, 2, 3, 4, 5, 6, 7}) {
      attacks.add(
          new Attack(
              "packed in cluster " + cluster,
              "overlaps",
              i -> i.putLong(PACKED_ENTRY, COMPRESSED | (long) cluster * CLUSTER)));
    }
    attacks.add(
        new Attack("packed rubbish", "unpacked", i -> i.put(PACKED, new byte[] {-1, -1, -1, -1})));
    attacks.add(new Attack("packed nothing", "unpacked", i -> i.put(PACKED, new byte[CLUSTER])));
    attacks.add(
        new Attack(
            "packed zstd without frame",
            "unpacked",
            i -> i.putLong(72, 8).putInt(100, 112).put(104, (byte) 1)));
    attacks.add(
        new Attack(
            "packed zstd of a huge window",
            "unpacked",
            i ->
                i.putLong(72, 8)
                    .putInt(100, 112)
                    .put(104, (byte) 1)
                    .put(PACKED, new byte[] {0x28, (byte) 0xb5, 0x2f, (byte) 0xfd, 0, -1, 1, 0})));
  }

  /** Images that end inside of each part. */
  private static void cuts(List<Attack> attacks) {
    int[] ends = {
      4,
      71,
      100,
      103,
      104,
      111,
      CLUSTER - 1,
      CLUSTER,
      2 * CLUSTER,
      2 * CLUSTER + 1,
      L1,
      L1 + 8,
      L2A,
      L2A + 1,
      5 * CLUSTER,
      L2B - 1,
      L2B,
      L2B + 8,
      7 * CLUSTER,
      8 * CLUSTER - 1,
      PACKED
    };
    for (int end : ends) {
      attacks.add(new Attack("cut at " + end, "", i -> i.limit(end)));
    }
  }

  @ParameterizedTest
  @MethodSource("attacks")
  void hostileImageIsRefused(Attack attack) {
    ByteBuffer image = HandmadeImage.make();
    attack.change().accept(image);
    assertThatThrownBy(() -> HandmadeImage.content(image))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
        .hasMessageStartingWith("image handmade: ")
        .hasMessageContaining(attack.reason());
  }

  @Test
  void imageBeforeTheAttackIsRead() throws StorageException {
    ByteBuffer image = HandmadeImage.make();
    byte[] content = HandmadeImage.content(image);
    assertThat(content).hasSize((int) HandmadeImage.SIZE);
    assertThat(ByteBuffer.wrap(content, 0, CLUSTER)).isEqualTo(image.slice(5 * CLUSTER, CLUSTER));
    assertThat(ByteBuffer.wrap(content, 2 << 20, CLUSTER))
        .isEqualTo(image.slice(7 * CLUSTER, CLUSTER));
    assertThat(new String(content, (2 << 20) + 3 * CLUSTER, 16, StandardCharsets.US_ASCII))
        .isEqualTo("a packed cluster");
  }

  @Test
  void thereAreAtLeastAHundredAttacks() {
    assertThat(attacks().count()).isGreaterThanOrEqualTo(100);
  }

  /** Reads images with arbitrary bytes, which must be read completely or rejected. */
  private static void mutate(long seeds) {
    for (long seed = 0; seed < seeds; seed++) {
      Random random = new Random(seed);
      ByteBuffer image = HandmadeImage.make();
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        int table = new int[] {0, CLUSTER, L1, L2A, L2B, PACKED}[random.nextInt(6)];
        image.put(table + random.nextInt(128), (byte) random.nextInt(256));
      }
      try {
        HandmadeImage.content(image);
      } catch (StorageException e) {
        assertThat(e.code()).as("seed %s: %s", seed, e).isEqualTo(ErrorCode.INVALID);
      }
    }
  }

  @Test
  void mutatedImageIsReadOrRefused() {
    mutate(300);
  }

  @Test
  @Tag("soak")
  void manyMutatedImagesAreReadOrRefused() {
    mutate(50_000);
  }
}

package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes of all releases must compute the same checksum of a layer: over its blocks, without holes.
 */
class LayerChecksumsTest {
  private static final int BLOCK = BlockIndex.BLOCK_SIZE;
  private static final String IMAGE = "volume-snap-summed.img";
  private static final long SIZE = 2 * LayerSums.REGION;

  @TempDir private Path folder;
  private final Map<Long, byte[]> blocks = new TreeMap<>();
  private LayerChecksums checksums;
  private ReplicaFile file;

  @BeforeEach
  void blocksZeroesAndHoles() throws Exception {
    LocalReplicaDirectory directory = new LocalReplicaDirectory(folder);
    checksums = new LayerChecksums(directory);
    file = directory.create(IMAGE, SIZE);
    write(0, 1);
    write(1, 0);
    write(3, 2);
    // At the boundary of one read, and in a range of zeroes.
    write(255, 3);
    write(256, 0);
    write(257, 4);
    for (long block = 600; block < 900; block++) {
      write(block, 0);
    }
    write(2000, 5);
    write(SIZE / BLOCK - 1, 0);
    file.close();
  }

  private void write(long block, int value) throws Exception {
    byte[] content = new byte[BLOCK];
    Arrays.fill(content, (byte) value);
    file.write(ByteBuffer.wrap(content), block * BLOCK);
    blocks.put(block * BLOCK, content);
  }

  private MessageDigest add(MessageDigest digest, long from, long to, boolean zeroes) {
    blocks.forEach(
        (at, content) -> {
          if (at >= from && at < to && (zeroes || content[0] != 0)) {
            digest.update(number(at));
            digest.update(content);
          }
        });
    return digest;
  }

  private static byte[] number(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  private String expected(long from, long to, boolean zeroes) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    digest.update(number(SIZE));
    return "sha256:" + HexFormat.of().formatHex(add(digest, from, to, zeroes).digest());
  }

  @Test
  void aBlockOfZeroesCountsAboveAnotherLayerAndAHoleNever() throws Exception {
    assertThat(checksums.compute(IMAGE, false, 0, SIZE, read -> {}))
        .isEqualTo(expected(0, SIZE, true))
        .isNotEqualTo(expected(0, SIZE, false));
    assertThat(checksums.compute(IMAGE, true, 0, SIZE, read -> {}))
        .isEqualTo(expected(0, SIZE, false));
  }

  @Test
  void aPartCountsByItself() throws Exception {
    long from = 100L * BLOCK;
    long to = 700L * BLOCK;
    assertThat(checksums.compute(IMAGE, false, from, to - from, read -> {}))
        .isEqualTo(expected(from, to, true));
  }

  @Test
  void readBytesAreReported() throws Exception {
    long[] read = new long[1];
    String unused = checksums.compute(IMAGE, false, 0, SIZE, count -> read[0] += count);
    assertThat(read[0]).isEqualTo((long) blocks.size() * BLOCK);
  }

  @Test
  void regionsCountEach() throws Exception {
    byte[] sums = checksums.regions(IMAGE, false, 0, SIZE);
    for (int region = 0; region * LayerSums.LENGTH < sums.length; region++) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      long at = region * LayerSums.REGION;
      assertThat(
              Arrays.copyOfRange(sums, region * LayerSums.LENGTH, (region + 1) * LayerSums.LENGTH))
          .isEqualTo(add(digest, at, at + LayerSums.REGION, true).digest());
    }
    assertThat(sums.length).isPositive();
  }
}

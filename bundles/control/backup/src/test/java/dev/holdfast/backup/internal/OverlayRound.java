package dev.holdfast.backup.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backup.internal.flatten.FlattenedSource;
import dev.holdfast.datapath.RegionCopy;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** A random backup over a random image, read in regions as a restore reads it. */
final class OverlayRound implements RegionCopy.CopySource {
  private static final int BLOCK = 128 << 10;
  private static final int BLOCKS = 24;
  private static final int REGION = 3 * BLOCK;

  private final long seed;
  private final Random random;
  private final byte[] backup = new byte[BLOCKS * BLOCK];
  private final boolean[] stored = new boolean[BLOCKS];
  private final byte[] expected = new byte[BLOCKS * BLOCK];
  private final ImageLab.MemoryDisk image;

  OverlayRound(long seed) {
    this.seed = seed;
    this.random = new Random(seed);
    byte[] below = new byte[(1 + random.nextInt(BLOCKS * BLOCK / 4096)) * 4096];
    for (int at = 0; at < below.length; at += 4096) {
      if (random.nextInt(8) == 0) {
        Arrays.fill(below, at, at + 4096, (byte) (1 + random.nextInt(100)));
      }
    }
    image = new ImageLab.MemoryDisk(below);
    System.arraycopy(below, 0, expected, 0, below.length);
    for (int i = 0; i < BLOCKS; i++) {
      stored[i] = random.nextInt(3) == 0;
      if (stored[i]) {
        Arrays.fill(backup, i * BLOCK, (i + 1) * BLOCK, (byte) (random.nextInt(2) * 120));
        System.arraycopy(backup, i * BLOCK, expected, i * BLOCK, BLOCK);
      }
    }
  }

  @Override
  public List<RegionCopy.Range> allocated(RegionCopy.Range within) {
    List<RegionCopy.Range> found = new ArrayList<>();
    for (int i = 0; i < BLOCKS; i++) {
      long from = Math.max(within.offset(), (long) i * BLOCK);
      long end = Math.min(within.end(), (i + 1L) * BLOCK);
      if (stored[i] && from < end) {
        found.add(new RegionCopy.Range(from, end - from));
      }
    }
    return found;
  }

  @Override
  public void read(long offset, ByteBuffer target) {
    target.put(backup, (int) offset, target.remaining());
  }

  void play() throws StorageException {
    byte[] found = new byte[expected.length];
    FlattenedSource source =
        new FlattenedSource(this, image, image.dataClusters(FlattenedSource.CLUSTER));
    for (long at = 0; at < found.length; at += REGION) {
      long last = at;
      for (RegionCopy.Range range : source.allocated(new RegionCopy.Range(at, REGION))) {
        assertThat(range.offset()).as("seed %s: in order", seed).isGreaterThanOrEqualTo(last);
        last = range.end();
        for (long piece = range.offset(); piece < range.end(); piece += 40960) {
          int length = (int) Math.min(40960, range.end() - piece);
          source.read(piece, ByteBuffer.wrap(found, (int) piece, length));
        }
      }
    }
    assertThat(Arrays.mismatch(found, expected))
        .as("seed %s: first other byte", seed)
        .isEqualTo(-1);
  }
}

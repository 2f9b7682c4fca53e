package dev.holdfast.clone.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoFlags;
import dev.holdfast.datapath.CopyRecord;
import dev.holdfast.datapath.CopyingDevice;
import dev.holdfast.datapath.RegionCopy;
import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * One random history of a volume that a host uses while it is copied. Requests arrive between any
 * two steps of the copy, the power fails at any of them, and any unflushed block may be lost. A
 * read must return the last content that the host wrote, or the content of the snapshot in
 * unwritten blocks. After a loss of power it may also return any content acknowledged since the
 * last flush.
 */
final class CopyHistory {
  /** Planted fault of the disk or the openings, which must be found. */
  enum Defect {
    NONE,
    /** The flush of the copy is not durable. */
    COPYING_DOES_NOT_FLUSH,
    /** An opening uses a record that is older than the last changes of the previous opening. */
    STALE_PLAN,
    /** An opening treats a region as copied that is not. */
    PLAN_AHEAD
  }

  private static final int BLOCK = LossyDisk.BLOCK;
  private static final int IN_REGION = 4;
  private static final int SOURCE_BLOCKS = 6 * IN_REGION - 1;
  private static final int BLOCKS = SOURCE_BLOCKS + 3;
  private static final int LIVES = 6;

  private final Random random;
  private final Defect defect;
  private final LossyDisk disk;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final byte[] source = new byte[BLOCKS];
  private final byte[] current = new byte[BLOCKS];
  private final List<Set<Byte>> mayRemain = new ArrayList<>();
  private BitSet earlier = new BitSet();
  private byte lastWritten;

  /** Thrown to end all work of an opening at a loss of power. */
  private static final class PowerLoss extends StorageException {
    private static final long serialVersionUID = 1;

    PowerLoss() {
      super(ErrorCode.UNREACHABLE, "the power failed");
    }
  }

  CopyHistory(long seed, Defect defect) {
    this.random = new Random(seed);
    this.defect = defect;
    this.disk = new LossyDisk(BLOCKS, random);
    for (int i = 0; i < BLOCKS; i++) {
      boolean zero = i >= SOURCE_BLOCKS || random.nextInt(3) == 0;
      source[i] = (byte) (zero ? 0 : 100 + random.nextInt(20));
      current[i] = source[i];
      mayRemain.add(new HashSet<>(Set.of(source[i])));
    }
  }

  /** Runs the history. Returns the number of power failures. */
  int play() throws StorageException {
    Volume copy =
        store.create(
            Volume.of(
                "copy",
                VolumeSpec.EMPTY
                    .withSize(Quantity.parse("1Mi"))
                    .withCloneSource(Optional.of(new CloneSource("from", "")))));
    CloneStatus begun =
        CloneStatus.EMPTY
            .withState(CloneState.INITIATED)
            .withCopySize(new Quantity((long) SOURCE_BLOCKS * BLOCK))
            .withRegionSize(new Quantity((long) IN_REGION * BLOCK));
    store.updateStatus(copy.withStatus(copy.status().withCloneStatus(begun)));
    int losses = 0;
    for (int i = 0; i < LIVES; i++) {
      losses += survives(new Life(i == LIVES - 1)) ? 0 : 1;
    }
    for (int i = 0; i < BLOCKS; i++) {
      assertThat(disk.at(i)).as("block %d in the end", i).isEqualTo(current[i]);
    }
    store.close();
    return losses;
  }

  private boolean survives(Life life) throws StorageException {
    try {
      new RegionCopy(life, life.device, life.record).run();
      life.requests(20);
      assertThat(life.device.isWhole()).isTrue();
      assertThat(life.device.hasWaiting()).isFalse();
      return true;
    } catch (PowerLoss e) {
      disk.losePower();
      RegionCopyPlan plan = recorded();
      for (int i = 0; i < BLOCKS; i++) {
        boolean own = i >= SOURCE_BLOCKS || plan.copied().get(plan.regionOf((long) i * BLOCK));
        current[i] = own ? disk.at(i) : source[i];
        assertThat(mayRemain.get(i)).as("block %d after a loss of power", i).contains(current[i]);
        mayRemain.set(i, new HashSet<>(Set.of(current[i])));
      }
      return false;
    }
  }

  private RegionCopyPlan recorded() throws StorageException {
    return RegionCopyPlan.of(
        store.get(Volume.KIND, "copy").orElseThrow().contentProgress().orElseThrow());
  }

  private RegionCopyPlan opening() throws StorageException {
    RegionCopyPlan plan = recorded();
    UnaryOperator<BitSet> seen =
        copied -> {
          BitSet ahead = (BitSet) copied.clone();
          ahead.set(ahead.nextClearBit(0));
          return switch (defect) {
            case NONE, COPYING_DOES_NOT_FLUSH -> copied;
            case STALE_PLAN -> earlier;
            case PLAN_AHEAD -> ahead;
          };
        };
    RegionCopyPlan used =
        new RegionCopyPlan(plan.size(), plan.regionSize(), seen.apply(plan.copied()));
    earlier = plan.copied();
    return used;
  }

  /** One opening, through which the copy reads the source while the host writes. */
  private final class Life implements RegionCopy.CopySource {
    private final CopyRecord record;
    private final CopyingDevice device;
    private final boolean lasts;

    Life(boolean lasts) throws StorageException {
      this.lasts = lasts;
      this.record = new CopyRecord(() -> store, store.get(Volume.KIND, "copy").orElseThrow());
      this.device = new CopyingDevice("copy", disk, opening());
      disk.ignoreFlushes(defect == Defect.COPYING_DOES_NOT_FLUSH);
    }

    private void step() throws StorageException {
      if (!lasts && random.nextInt(20) == 0) {
        throw new PowerLoss();
      }
      requests(random.nextInt(3));
    }

    void requests(int count) {
      for (int i = 0; i < count; i++) {
        int first = random.nextInt(BLOCKS);
        int blocks = 1 + random.nextInt(Math.min(6, BLOCKS - first));
        switch (random.nextInt(5)) {
          case 0, 1 -> write(first, blocks);
          case 2 -> zero(first, blocks);
          case 3 -> flush();
          default -> read(first, blocks);
        }
      }
    }

    private void write(int first, int blocks) {
      lastWritten = (byte) (lastWritten % 90 + 1);
      byte value = lastWritten;
      ByteBuffer bytes = ByteBuffer.allocate(blocks * BLOCK);
      while (bytes.hasRemaining()) {
        bytes.put(value);
      }
      device.write(
          (long) first * BLOCK,
          bytes.flip(),
          IoFlags.NONE,
          failure -> changed(first, blocks, value, failure));
    }

    private void zero(int first, int blocks) {
      device.writeZeroes(
          (long) first * BLOCK,
          (long) blocks * BLOCK,
          IoFlags.NONE,
          failure -> changed(first, blocks, (byte) 0, failure));
    }

    private void changed(int first, int blocks, byte value, StorageException failure) {
      assertThat(failure).isNull();
      for (int i = first; i < first + blocks; i++) {
        current[i] = value;
        mayRemain.get(i).add(value);
      }
    }

    private void flush() {
      disk.ignoreFlushes(false);
      device.flush(
          failure -> {
            assertThat(failure).isNull();
            for (int i = 0; i < BLOCKS; i++) {
              mayRemain.set(i, new HashSet<>(Set.of(current[i])));
            }
          });
      disk.ignoreFlushes(defect == Defect.COPYING_DOES_NOT_FLUSH);
    }

    private void read(int first, int blocks) {
      ByteBuffer bytes = ByteBuffer.allocate(blocks * BLOCK);
      device.read(
          (long) first * BLOCK,
          bytes,
          failure -> {
            assertThat(failure).isNull();
            for (int i = 0; i < blocks; i++) {
              assertThat(bytes.get(i * BLOCK))
                  .as("block %d read", first + i)
                  .isEqualTo(current[first + i]);
            }
          });
    }

    @Override
    public List<RegionCopy.Range> allocated(RegionCopy.Range within) throws StorageException {
      step();
      List<RegionCopy.Range> found = new ArrayList<>();
      for (long at = within.offset(); at < within.end(); at += BLOCK) {
        if (source[(int) (at / BLOCK)] != 0) {
          found.add(new RegionCopy.Range(at, BLOCK));
        }
      }
      return found;
    }

    @Override
    public void read(long offset, ByteBuffer target) throws StorageException {
      step();
      while (target.hasRemaining()) {
        target.put(source[(int) (offset / BLOCK)]);
      }
    }
  }
}

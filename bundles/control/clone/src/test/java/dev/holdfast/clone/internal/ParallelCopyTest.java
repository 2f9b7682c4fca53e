package dev.holdfast.clone.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Copying by several threads, which a test releases one region at a time. */
class ParallelCopyTest {
  private static final int BLOCK = LossyDisk.BLOCK;
  private static final int REGIONS = 8;
  private static final int DAMAGED = 5;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final LossyDisk disk = new LossyDisk(REGIONS, new Random(1));
  private final BlockingQueue<Reading> readings = new LinkedBlockingQueue<>();
  private volatile boolean storeIsAway;
  private volatile Thread leader;

  /** A region that a thread reads. */
  private record Reading(int source, int region, CountDownLatch mayEnd) {}

  @AfterEach
  void stop() {
    threads.shutdownNow();
    store.close();
  }

  private final class Source implements RegionCopy.CopySource {
    private final int number;

    Source(int number) {
      this.number = number;
    }

    @Override
    public List<RegionCopy.Range> allocated(RegionCopy.Range within) {
      return List.of(within);
    }

    @Override
    public void read(long offset, ByteBuffer target) throws StorageException {
      int region = (int) (offset / BLOCK);
      Reading reading = new Reading(number, region, new CountDownLatch(1));
      readings.add(reading);
      try {
        if (!reading.mayEnd.await(30, TimeUnit.SECONDS)) {
          throw new AssertionError("region " + region + " is not let through");
        }
      } catch (InterruptedException e) {
        throw new StorageException(ErrorCode.TIMEOUT, "interrupted", e);
      }
      if (region == DAMAGED) {
        throw new StorageException(ErrorCode.IO, "damaged block: offset " + offset);
      }
      while (target.hasRemaining()) {
        target.put((byte) (region + 1));
      }
    }

    @Override
    public boolean isDamage(StorageException failure) {
      return failure.code() == ErrorCode.IO;
    }
  }

  private CompletableFuture<Void> begin(CopyingDevice device, int sources) throws Exception {
    List<Source> all = new ArrayList<>();
    for (int i = 0; i < sources; i++) {
      all.add(new Source(i));
    }
    return run(new RegionCopy(all, threads, device, record(device)));
  }

  private CopyRecord record(CopyingDevice device) throws StorageException {
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
            .withCopySize(new Quantity(device.plan().size()))
            .withRegionSize(new Quantity(device.plan().regionSize()));
    Volume stored = store.updateStatus(copy.withStatus(copy.status().withCloneStatus(begun)));
    return new CopyRecord(
        () -> {
          if (storeIsAway) {
            throw new StorageException(ErrorCode.UNREACHABLE, "the store is away");
          }
          return store;
        },
        stored);
  }

  private CompletableFuture<Void> run(RegionCopy copying) {
    return CompletableFuture.runAsync(
        () -> {
          leader = Thread.currentThread();
          try {
            copying.run();
          } catch (StorageException e) {
            throw new CompletionException(e);
          }
        },
        threads);
  }

  private CopyingDevice device() {
    RegionCopyPlan plan = new RegionCopyPlan((long) REGIONS * BLOCK, BLOCK, new BitSet());
    return new CopyingDevice("copy", disk, plan);
  }

  private Reading next() throws InterruptedException {
    Reading reading = readings.poll(30, TimeUnit.SECONDS);
    assertThat(reading).as("a region that is read").isNotNull();
    return reading;
  }

  private static CompletableFuture<Byte> read(CopyingDevice device, int region) {
    CompletableFuture<Byte> outcome = new CompletableFuture<>();
    ByteBuffer bytes = ByteBuffer.allocate(BLOCK);
    device.read(
        (long) region * BLOCK,
        bytes,
        failure -> {
          if (failure == null) {
            outcome.complete(bytes.get(0));
          } else {
            outcome.completeExceptionally(failure);
          }
        });
    return outcome;
  }

  /** Waits until the leading thread has processed a copied region, and waits again. */
  private void awaitWaitingLeader() {
    while (leader.getState() != Thread.State.TIMED_WAITING && !Thread.interrupted()) {
      Thread.onSpinWait();
    }
  }

  private void letAllThrough() {
    CompletableFuture<Void> unused =
        CompletableFuture.runAsync(
            () -> {
              try {
                while (true) {
                  readings.take().mayEnd.countDown();
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            threads);
  }

  @Test
  void requestIsServedWhileAllOtherThreadsWaitForTheirRegions() throws Exception {
    CopyingDevice device = device();
    CompletableFuture<Void> copying = begin(device, 4);
    List<Reading> background = List.of(next(), next(), next());
    assertThat(background).extracting(Reading::region).containsExactlyInAnyOrder(0, 1, 2);
    assertThat(background).extracting(Reading::source).doesNotContain(0);

    CompletableFuture<Byte> served = read(device, 7);
    Reading awaited = next();
    assertThat(awaited.region()).isEqualTo(7);
    assertThat(awaited.source()).isZero();
    awaited.mayEnd.countDown();
    assertThat(served.get(30, TimeUnit.SECONDS)).isEqualTo((byte) 8);

    background.forEach(reading -> reading.mayEnd.countDown());
    letAllThrough();
    assertThatThrownBy(() -> copying.get(30, TimeUnit.SECONDS))
        .hasMessageContaining("damaged block: offset " + DAMAGED * BLOCK);
    for (int i = 0; i < REGIONS; i++) {
      assertThat(disk.at(i)).isEqualTo((byte) (i == DAMAGED ? 0 : i + 1));
    }
    assertThatThrownBy(() -> read(device, DAMAGED).get(30, TimeUnit.SECONDS))
        .hasMessageContaining("damaged block");
    assertThat(store.get(Volume.KIND, "copy").orElseThrow().contentProgress().orElseThrow())
        .extracting(progress -> RegionCopyPlan.copied(progress.copiedRegions()).cardinality())
        .isEqualTo(REGIONS - 1);
  }

  @Test
  void readsAreServedAndChangesWaitWhileTheStoreIsAway() throws Exception {
    CopyingDevice device = device();
    CompletableFuture<Void> copying = begin(device, 2);
    Reading first = next();
    storeIsAway = true;
    CompletableFuture<Optional<StorageException>> changed = new CompletableFuture<>();
    device.writeZeroes(
        6L * BLOCK, BLOCK, 0, failure -> changed.complete(Optional.ofNullable(failure)));
    next().mayEnd.countDown();
    CompletableFuture<Byte> served = read(device, 7);
    next().mayEnd.countDown();

    assertThat(served.get(30, TimeUnit.SECONDS)).isEqualTo((byte) 8);
    assertThat(changed).isNotDone();
    storeIsAway = false;
    assertThat(changed.get(30, TimeUnit.SECONDS)).isEmpty();
    first.mayEnd.countDown();
    letAllThrough();
    assertThatThrownBy(() -> copying.get(30, TimeUnit.SECONDS)).hasMessageContaining("damaged");
    assertThat(disk.at(6)).isZero();
  }

  @Test
  void waitingLeaderRecordsRegionsThatAnotherThreadCopies() throws Exception {
    int large = 128 << 20;
    LossyDisk target = new LossyDisk(2 * (large / BLOCK), new Random(1));
    RegionCopyPlan plan = new RegionCopyPlan(2L * large, large, new BitSet());
    CopyingDevice device = new CopyingDevice("copy", target, plan);
    RegionCopy.CopySource source =
        new RegionCopy.CopySource() {
          @Override
          public List<RegionCopy.Range> allocated(RegionCopy.Range within) {
            return List.of(within);
          }

          @Override
          public void read(long offset, ByteBuffer bytes) {
            if (offset == 0) {
              device.read(0, ByteBuffer.allocate(BLOCK), failure -> awaitWaitingLeader());
            }
            bytes.position(bytes.limit());
          }
        };
    run(new RegionCopy(List.of(source, source), threads, device, record(device)))
        .get(30, TimeUnit.SECONDS);
    assertThat(device.isWhole()).isTrue();
  }

  @Test
  void closingEndsTheCopying() throws Exception {
    CopyingDevice device = device();
    CompletableFuture<Void> copying = begin(device, 3);
    List<Reading> background = List.of(next(), next());
    device.shut();
    background.forEach(reading -> reading.mayEnd.countDown());
    assertThatThrownBy(() -> copying.get(30, TimeUnit.SECONDS))
        .rootCause()
        .hasMessageContaining("was closed");
    assertThat(readings).isEmpty();
  }
}

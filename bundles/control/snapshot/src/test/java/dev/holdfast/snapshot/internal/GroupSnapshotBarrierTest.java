package dev.holdfast.snapshot.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.block.filter.GatedDevice;
import dev.holdfast.datapath.testkit.FakeSnapshotDevice;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GroupSnapshotBarrierTest {
  private GroupSnapshotBarrier meetings =
      new GroupSnapshotBarrier(Duration.ofSeconds(30), Duration.ZERO);
  private final Map<String, GatedDevice> gates = new TreeMap<>();
  private final Map<String, Boolean> allHeldWhenTaken = new ConcurrentHashMap<>();
  private final AtomicInteger frozen = new AtomicInteger();
  private final AtomicInteger prepared = new AtomicInteger();
  private final AtomicInteger endings = new AtomicInteger();
  private final Map<String, Integer> frozenWhenHeld = new ConcurrentHashMap<>();
  private final Map<String, Integer> preparedWhenHeld = new ConcurrentHashMap<>();
  private final Set<String> frozenNow = ConcurrentHashMap.newKeySet();
  private final Map<String, Boolean> endedWhileFrozen = new ConcurrentHashMap<>();
  private final Map<String, Boolean> endedWhileHeld = new ConcurrentHashMap<>();
  private final CopyOnWriteArrayList<String> taken = new CopyOnWriteArrayList<>();

  private SnapshotGroup group(String... volumes) {
    TreeSet<String> names = new TreeSet<>(List.of(volumes));
    names.forEach(
        name -> gates.put(name, new GatedDevice(name, new FakeSnapshotDevice(new byte[4096]))));
    return new SnapshotGroup("g", names);
  }

  private void attend(SnapshotGroup group, String volume) throws StorageException {
    attend(
        group,
        volume,
        () -> {
          allHeldWhenTaken.put(volume, isHeld(volume));
          taken.add(volume);
        });
  }

  private void attend(SnapshotGroup group, String volume, Taking taking) throws StorageException {
    var unused =
        meetings.attend(
            group,
            () -> prepared(volume, taking),
            new Freezing(volume),
            drain -> {
              frozenWhenHeld.put(volume, frozen.get());
              preparedWhenHeld.put(volume, prepared.get());
              return gates.get(volume).hold(drain)::close;
            });
  }

  private interface Taking {
    void take() throws StorageException;
  }

  private SnapshotVolume.Prepared prepared(String volume, Taking taking) {
    prepared.incrementAndGet();
    return new SnapshotVolume.Prepared() {
      @Override
      public SnapshotInfo take() throws StorageException {
        taking.take();
        return new SnapshotInfo("s", "", List.of(), false, true, Instant.EPOCH, Map.of(), 0, "");
      }

      @Override
      public void close() {
        endedWhileHeld.put(volume, isHeld(volume));
        endedWhileFrozen.put(volume, frozenNow.contains(volume));
        endings.incrementAndGet();
      }
    };
  }

  private final class Freezing implements GroupSnapshotBarrier.Freeze {
    private final String volume;
    private boolean freezes;

    Freezing(String volume) {
      this.volume = volume;
    }

    @Override
    public void freeze() {
      freezes = true;
      frozenNow.add(volume);
      frozen.incrementAndGet();
    }

    @Override
    public boolean thaw() {
      boolean thawed = freezes;
      frozenNow.remove(volume);
      freezes = false;
      return thawed;
    }
  }

  /** Returns whether a gate is held: a held gate cannot be held again. */
  private boolean isHeld(String volume) {
    try (GatedDevice.Hold hold = gates.get(volume).hold(Duration.ofSeconds(1))) {
      return hold == null;
    } catch (StorageException e) {
      return e.code() == ErrorCode.BUSY;
    }
  }

  /** Shortens the wait for tests in which a snapshot is missing. */
  private void shortenWaits() {
    meetings = new GroupSnapshotBarrier(Duration.ofMillis(200), Duration.ZERO);
  }

  /** Retries as long as the other passes do not arrive in time. */
  private CompletableFuture<Throwable> insist(SnapshotGroup group, String volume) {
    return CompletableFuture.supplyAsync(
        () -> {
          Throwable failure = catchThrowable(() -> attend(group, volume));
          while (failure instanceof StorageException e && e.code() == ErrorCode.BUSY) {
            failure = catchThrowable(() -> attend(group, volume));
          }
          return failure;
        });
  }

  private CompletableFuture<Throwable> start(SnapshotGroup group, String volume) {
    return CompletableFuture.supplyAsync(() -> catchThrowable(() -> attend(group, volume)));
  }

  @Test
  void eachIsTakenWhileItsRequestsAreHeldAndThenReleased() {
    SnapshotGroup group = group("a", "b");
    CompletableFuture<Throwable> other = start(group, "b");

    assertThat(start(group, "a").join()).isNull();
    assertThat(other.join()).isNull();
    assertThat(allHeldWhenTaken).containsOnly(Map.entry("a", true), Map.entry("b", true));
    assertThat(gates.keySet()).noneMatch(this::isHeld);
  }

  /** A preparation may wait for the store, but neither requests nor filesystems wait during it. */
  @Test
  void noVolumeIsHeldOrFrozenWhileThePreparationStartsOrEnds() {
    SnapshotGroup group = group("a", "b");
    CompletableFuture<Throwable> other = start(group, "b");

    assertThat(start(group, "a").join()).isNull();
    assertThat(other.join()).isNull();
    assertThat(preparedWhenHeld).containsOnly(Map.entry("a", 2), Map.entry("b", 2));
    assertThat(endedWhileHeld).containsOnly(Map.entry("a", false), Map.entry("b", false));
    assertThat(endedWhileFrozen).containsOnly(Map.entry("a", false), Map.entry("b", false));
  }

  @Test
  void allAreReleasedAndEndedWhenOneCannotPrepare() {
    shortenWaits();
    SnapshotGroup group = group("a", "b");
    CompletableFuture<Throwable> other = start(group, "b");
    Throwable failure =
        catchThrowable(
            () ->
                meetings.attend(
                    group,
                    () -> {
                      throw new StorageException(ErrorCode.BUSY, "another operation");
                    },
                    new Freezing("a"),
                    drain -> gates.get("a").hold(drain)::close));

    assertThat(failure).hasMessage("another operation");
    assertThat(other.join()).isInstanceOf(StorageException.class);
    assertThat(taken).isEmpty();
    assertThat(endings.get()).as("preparations that ended").isEqualTo(prepared.get());
    assertThat(frozenNow).isEmpty();
  }

  @Test
  void noVolumeIsHeldBeforeAllAreFrozen() {
    SnapshotGroup group = group("a", "b");
    CompletableFuture<Throwable> other = start(group, "b");

    assertThat(start(group, "a").join()).isNull();
    assertThat(other.join()).isNull();
    assertThat(frozenWhenHeld).containsOnly(Map.entry("a", 2), Map.entry("b", 2));
  }

  @Test
  @Timeout(60)
  void noSnapshotIsTakenWhenOtherVolumesDoNotJoin() {
    shortenWaits();
    SnapshotGroup group = group("a", "b");

    assertThat(start(group, "a").join())
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
        .hasMessageContaining("waits for the other volumes of its group");
    assertThat(taken).isEmpty();
    assertThat(isHeld("a")).isFalse();
    CompletableFuture<Throwable> other = insist(group, "b");
    assertThat(insist(group, "a").join()).isNull();
    assertThat(other.join()).isNull();
  }

  @Test
  void noSnapshotIsTakenWhenOneVolumeCannotBeHeld() throws StorageException {
    shortenWaits();
    SnapshotGroup group = group("a", "b");
    try (GatedDevice.Hold busy = gates.get("b").hold(Duration.ofSeconds(1))) {
      assertThat(busy).isNotNull();
      CompletableFuture<Throwable> other = start(group, "b");
      assertThat(start(group, "a").join()).isInstanceOf(StorageException.class);
      assertThat(other.join()).isInstanceOf(StorageException.class);
    }
    assertThat(taken).isEmpty();
    assertThat(isHeld("a")).isFalse();
  }

  @Test
  void groupFailsWhenOneOfItsSnapshotsFailsLate() {
    SnapshotGroup group = group("a", "b");
    CompletableFuture<Throwable> other = start(group, "b");
    Throwable failure =
        catchThrowable(
            () ->
                attend(
                    group,
                    "a",
                    () -> {
                      throw new StorageException(ErrorCode.BUSY, "another operation");
                    }));

    assertThat(other.join()).isNull();
    assertThat(failure)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
        .hasMessageContaining("is not consistent");
  }
}

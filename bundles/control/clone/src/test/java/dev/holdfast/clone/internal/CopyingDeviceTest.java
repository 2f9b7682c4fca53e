package dev.holdfast.clone.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.IoFlags;
import dev.holdfast.datapath.CopyingDevice;
import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Requests to a volume with incomplete first content. */
class CopyingDeviceTest {
  private static final int BLOCK = LossyDisk.BLOCK;
  private static final int HISTORIES = 400;

  private final LossyDisk disk = new LossyDisk(10, new Random(1));
  private final List<Optional<ErrorCode>> ends = new ArrayList<>();

  private CopyingDevice device(int... copied) {
    BitSet regions = new BitSet();
    for (int region : copied) {
      regions.set(region);
    }
    return new CopyingDevice("copy", disk, new RegionCopyPlan(8L * BLOCK, 2L * BLOCK, regions));
  }

  private void ended(StorageException failure) {
    ends.add(Optional.ofNullable(failure).map(StorageException::code));
  }

  private void read(CopyingDevice device, int block, int blocks) {
    device.read((long) block * BLOCK, ByteBuffer.allocate(blocks * BLOCK), this::ended);
  }

  private void write(CopyingDevice device, int block) {
    device.write((long) block * BLOCK, ByteBuffer.allocate(BLOCK), IoFlags.NONE, this::ended);
  }

  private static BitSet region(int number) {
    BitSet regions = new BitSet();
    regions.set(number);
    return regions;
  }

  @Test
  void aReadWaitsUntilAllOfItIsCopied() {
    CopyingDevice device = device(0);
    read(device, 1, 3);
    read(device, 0, 2);
    assertThat(ends).containsExactly(Optional.empty());
    device.copied(2);
    assertThat(ends).hasSize(1);
    device.copied(1);
    assertThat(ends).hasSize(2);
  }

  @Test
  void aChangeWaitsForTheRecord() {
    CopyingDevice device = device();
    write(device, 2);
    device.copied(1);
    assertThat(device.awaitsRecord()).isTrue();
    assertThat(ends).isEmpty();
    device.recorded(region(1));
    assertThat(ends).containsExactly(Optional.empty());
    assertThat(device.awaitsRecord()).isFalse();
  }

  @Test
  void copyPrefersRegionsWithWaitingRequests() {
    CopyingDevice device = device(0);
    assertThat(device.takeAwaited()).isEmpty();
    read(device, 6, 1);
    assertThat(device.takeAwaited()).hasValue(3);
    assertThat(device.takeAwaited()).isEmpty();
    assertThat(device.take()).hasValue(1);
    assertThat(device.take()).hasValue(2);
    assertThat(device.take()).isEmpty();
    device.giveBack(3);
    assertThat(device.take()).hasValue(3);
    device.copied(3);
    assertThat(ends).containsExactly(Optional.empty());
    assertThat(device.take()).isEmpty();
  }

  @Test
  void damagedRegionFailsItsRequestsUntilItIsTriedAgain() {
    CopyingDevice device = device(0);
    read(device, 4, 1);
    read(device, 2, 1);
    assertThat(device.take()).hasValue(2);
    device.damaged(2, new StorageException(ErrorCode.IO, "damaged block"));
    write(device, 5);
    assertThat(ends).containsExactly(Optional.of(ErrorCode.IO), Optional.of(ErrorCode.IO));
    assertThat(device.take()).hasValue(1);
    assertThat(device.take()).hasValue(3);
    assertThat(device.take()).isEmpty();
    assertThat(device.damage()).isPresent();

    device.forgetDamage();
    assertThat(device.damage()).isEmpty();
    read(device, 4, 1);
    assertThat(device.take()).hasValue(2);
    device.copied(2);
    assertThat(ends).hasSize(3).last().isEqualTo(Optional.empty());
  }

  @Test
  void rangePastTheEndOfTheSnapshotIsNotCopied() {
    CopyingDevice device = device();
    write(device, 8);
    read(device, 9, 1);
    device.trim(8L * BLOCK, 2L * BLOCK, IoFlags.NONE, this::ended);
    assertThat(ends).hasSize(3).containsOnly(Optional.empty());
  }

  @Test
  void incompleteRegionIsNotAHole() {
    CopyingDevice device = device(0, 1, 2);
    List<ExtentKind> kinds = new ArrayList<>();
    device.extents(0, 10L * BLOCK, (o, l, kind) -> kinds.add(kind), this::ended);
    assertThat(kinds).containsExactly(ExtentKind.DATA);
    device.recorded(region(3));
    assertThat(device.isWhole()).isTrue();
    kinds.clear();
    device.extents(0, 10L * BLOCK, (o, l, kind) -> kinds.add(kind), this::ended);
    assertThat(kinds).containsOnly(ExtentKind.HOLE);
  }

  @Test
  void failureEndsOnlyWaitingRequests() {
    CopyingDevice device = device(0);
    read(device, 4, 1);
    device.fail(new StorageException(ErrorCode.NOT_FOUND, "no such snapshot"));
    read(device, 0, 1);
    assertThat(ends).containsExactly(Optional.of(ErrorCode.NOT_FOUND), Optional.empty());
    read(device, 4, 1);
    device.shut();
    write(device, 5);
    assertThat(ends.subList(2, 4))
        .containsExactly(Optional.of(ErrorCode.IO), Optional.of(ErrorCode.IO));
    assertThat(device.hasWaiting()).isFalse();
  }

  @Test
  void recordOfCopiedRegionsStaysSmall() {
    assertThat(RegionCopyPlan.regionSizeFor(Quantity.parse("10Gi")))
        .isEqualTo(Quantity.parse("1Mi"));
    for (String size : List.of("1", "32Gi", "33Gi", "1Ti", "100Ti")) {
      Quantity whole = Quantity.parse(size);
      RegionCopyPlan plan =
          new RegionCopyPlan(
              whole.bytes(), RegionCopyPlan.regionSizeFor(whole).bytes(), new BitSet());
      assertThat(plan.regions()).isBetween(1, 1 << 15);
      assertThat(plan.end(plan.regions() - 1)).isEqualTo(whole.bytes());
    }
    BitSet some = BitSet.valueOf(new long[] {5, 1});
    assertThat(RegionCopyPlan.copied(RegionCopyPlan.text(some))).isEqualTo(some);
  }

  @Test
  void readsReturnOnlyWrittenDataInAllHistories() throws StorageException {
    int losses = 0;
    for (int seed = 0; seed < HISTORIES; seed++) {
      losses += new CopyHistory(seed, CopyHistory.Defect.NONE).play();
    }
    assertThat(losses).isGreaterThan(HISTORIES);
  }

  @Test
  void historiesFindPlantedMutants() {
    for (CopyHistory.Defect defect : CopyHistory.Defect.values()) {
      if (defect != CopyHistory.Defect.NONE) {
        assertThatThrownBy(
                () -> {
                  for (int seed = 0; seed < HISTORIES; seed++) {
                    new CopyHistory(seed, defect).play();
                  }
                })
            .as(defect.toString())
            .isInstanceOf(AssertionError.class)
            .hasMessageContaining("block");
      }
    }
  }
}

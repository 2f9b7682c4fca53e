package dev.holdfast.datapath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.RestoreStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.util.BitSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CopyRecordTest {
  private static final String NAME = "copy";

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final BitSet first = BitSet.valueOf(new long[] {1});

  @BeforeEach
  void create() throws StorageException {
    store.create(
        Volume.of(
            NAME,
            VolumeSpec.EMPTY
                .withSize(new Quantity(1 << 20))
                .withFromBackup("file:///backups?backup=b1&volume=v")));
    apply("b1");
  }

  @AfterEach
  void close() {
    store.close();
  }

  private Volume apply(String backup) throws StorageException {
    Volume present = store.get(Volume.KIND, NAME).orElseThrow();
    RestoreStatus next =
        RestoreStatus.EMPTY
            .withState(CloneState.INITIATED)
            .withBackup(backup)
            .withCopySize(new Quantity(1 << 20))
            .withRegionSize(new Quantity(1 << 16));
    return store.updateStatus(present.withStatus(present.status().withRestore(next)));
  }

  private String copied() throws StorageException {
    return store.get(Volume.KIND, NAME).orElseThrow().status().restore().copiedRegions();
  }

  @Test
  void regionsAreRecordedBesideThoseOfOthers() throws StorageException {
    Volume volume = store.get(Volume.KIND, NAME).orElseThrow();
    new CopyRecord(() -> store, volume).add(first);
    new CopyRecord(() -> store, volume).add(BitSet.valueOf(new long[] {2}));
    assertThat(RegionCopyPlan.copied(copied())).isEqualTo(BitSet.valueOf(new long[] {3}));
  }

  @Test
  void lateRecordOfAnEarlierBackupChangesNothing() throws StorageException {
    CopyRecord late = new CopyRecord(() -> store, store.get(Volume.KIND, NAME).orElseThrow());
    apply("b2");
    assertThatThrownBy(() -> late.add(first)).hasMessageContaining("its copy was cancelled");
    assertThat(copied()).isEmpty();
  }
}

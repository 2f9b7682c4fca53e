package dev.holdfast.client.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.client.Waiting;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.restore.StandbyActivation;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Volumes that follow backups are made, and activated once. */
class StandbyVolumesTest {
  private static final VolumeSpec FOLLOWING =
      VolumeSpec.EMPTY
          .withSize(Quantity.parse("8Mi"))
          .withFromBackup("file:///backups?backup=b1&volume=v1")
          .withStandby(true);

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final StandbyVolumes volumes = new StandbyVolumes(store);

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void activationIsRequestedAndNeverCancelled() throws Exception {
    store.create(Volume.of("copy", FOLLOWING));
    Volume asked = volumes.activate("copy", StandbyActivation.REVERT, Waiting.none());
    assertThat(asked.spec().standby()).isFalse();
    assertThat(asked.spec().standbyActivation()).isEqualTo(StandbyActivation.REVERT);
    assertThatThrownBy(() -> store.update(asked.withSpec(asked.spec().withStandby(true))))
        .hasMessageContaining("spec.standby")
        .hasMessageContaining("must stay false");
  }

  @Test
  void ordinaryVolumeIsNotActivated() throws Exception {
    store.create(Volume.of("plain", FOLLOWING.withStandby(false)));
    assertThatThrownBy(
            () -> volumes.activate("plain", StandbyActivation.COMPLETE_OR_REVERT, Waiting.none()))
        .isInstanceOf(StorageException.class)
        .hasMessage("volume plain is not a standby volume, so it can be attached");
  }

  @Test
  void volumeThatClientsUseWhileItIsRestoredDoesNotFollow() {
    for (VolumeSpec wrong :
        new VolumeSpec[] {
          FOLLOWING.withRestoreMode(RestoreMode.LAZY),
          FOLLOWING.withFromBackup(""),
          FOLLOWING.withRestoreFlattened(true),
          FOLLOWING.withBackingImage("debian")
        }) {
      assertThatThrownBy(() -> store.create(Volume.of("wrong", wrong)))
          .hasMessageContaining("spec.standby: Invalid value: ");
    }
  }
}

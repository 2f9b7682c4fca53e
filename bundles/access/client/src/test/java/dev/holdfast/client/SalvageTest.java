package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.SalvageRequest;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeReplica;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SalvageTest {
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final Volumes volumes = new Volumes(store);

  private Volume make(Robustness robustness) throws StorageException {
    Volume made = store.create(Volume.of("demo", VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi"))));
    return store.updateStatus(
        made.withStatus(
            made.status()
                .withRobustness(robustness)
                .withReplicas(
                    List.of(
                        new VolumeReplica("demo-r-1", "n1", "d", ReplicaMode.ERR, ""),
                        new VolumeReplica("demo-r-2", "n2", "d", ReplicaMode.ERR, "")))));
  }

  @ParameterizedTest
  @EnumSource(
      value = Robustness.class,
      names = {"FAULTED", "UNKNOWN"})
  void salvageStoresTheDeclaredReplicasOfAVolumeThatCannotBeOpened(Robustness robustness)
      throws Exception {
    make(robustness);
    SalvageRequest first = volumes.salvage("demo", List.of("demo-r-2")).spec().salvage();
    assertThat(first.replicas()).containsExactly("demo-r-2");
    assertThat(first.id()).isNotEmpty();
    assertThat(volumes.salvage("demo", List.of("demo-r-2")).spec().salvage().id())
        .as("each request is another")
        .isNotEqualTo(first.id());
  }

  @Test
  void aVolumeInUseIsNotSalvaged() throws Exception {
    make(Robustness.DEGRADED);
    StoreTest.assertFails(ErrorCode.CONFLICT, () -> volumes.salvage("demo", List.of("demo-r-2")))
        .hasMessage("volume demo is in use and degraded: no replica needs to be salvaged");
  }

  @Test
  void aReplicaThatItDoesNotHaveIsNamed() throws Exception {
    make(Robustness.FAULTED);
    StoreTest.assertFails(ErrorCode.INVALID, () -> volumes.salvage("demo", List.of("other-r-1")))
        .hasMessageContaining("[other-r-1]")
        .hasMessageContaining("[demo-r-1, demo-r-2]");
  }
}

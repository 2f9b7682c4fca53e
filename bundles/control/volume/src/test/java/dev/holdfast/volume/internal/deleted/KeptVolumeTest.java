package dev.holdfast.volume.internal.deleted;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.CloneMethod;
import dev.holdfast.resource.volume.CloneMode;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Volumes of each kind, and their restored versions after an undelete. */
class KeptVolumeTest {
  private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");
  private static final VolumeSpec SPEC = VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi"));

  private static Volume volume(VolumeSpec spec, Map<String, String> annotations) {
    Volume volume = Volume.of("v", spec);
    return volume.withMetadata(volume.metadata().withUid("uid-v").withAnnotations(annotations));
  }

  /** Keeps a volume, undeletes it, and checks that the API would accept it. */
  private static Volume again(Volume volume) {
    DeletedVolume kept = KeptVolume.of(volume, Duration.ofHours(1), NOW);
    assertThat(kept.validate()).isEmpty();
    DeletedVolume stored = kept.withMetadata(kept.metadata().withUid("uid-kept"));
    Volume restored = KeptVolume.volume(stored);
    assertThat(restored.validate()).isEmpty();
    assertThat(stored.isSourceOf(restored)).isTrue();
    return KeptVolume.withState(restored, stored);
  }

  @Test
  void volumeOnAnImageKeepsTheImage() {
    Volume restored = again(volume(SPEC.withBackingImage("debian"), Map.of()));
    assertThat(restored.spec().backingImage()).isEqualTo("debian");
  }

  @Test
  void sharedVolumeIsSharedAgain() {
    Volume restored = again(volume(SPEC.withAccessMode(AccessMode.READ_WRITE_MANY), Map.of()));
    assertThat(restored.spec().accessMode()).isEqualTo(AccessMode.READ_WRITE_MANY);
  }

  @Test
  void optionsAndAnnotationsStay() {
    Map<String, String> options = Map.of("block-size", "4096");
    Volume restored = again(volume(SPEC.withEngineOptions(options), Map.of("team", "films")));
    assertThat(restored.spec().engineOptions()).isEqualTo(options);
    assertThat(restored.metadata().annotations()).containsEntry("team", "films");
  }

  /**
   * The clone's replicas have the content of the source and of its image, so it is not copied
   * again.
   */
  @Test
  void completeLinkedCloneDoesNotNeedItsSource() {
    Volume copy =
        volume(
            SPEC.withCloneSource(Optional.of(new CloneSource("source", "s")))
                .withCloneMode(CloneMode.LINKED_CLONE)
                .withBackingImage("debian"),
            Map.of());
    Volume complete =
        copy.withStatus(
            copy.status()
                .withCloneStatus(
                    CloneStatus.EMPTY
                        .withState(CloneState.COMPLETED)
                        .withMethod(CloneMethod.LINK)));
    assertThat(KeptVolume.isWorthKeeping(complete, replicas())).isTrue();
    Volume restored = again(complete);
    assertThat(restored.spec().cloneSource()).isEmpty();
    assertThat(restored.awaitsContent()).isFalse();
    assertThat(restored.spec().backingImage()).isEqualTo("debian");
  }

  @Test
  void incompleteCopyIsNotKept() {
    Volume copy =
        volume(SPEC.withCloneSource(Optional.of(new CloneSource("source", "s"))), Map.of());
    assertThat(KeptVolume.isWorthKeeping(copy, replicas())).isFalse();
    assertThat(KeptVolume.isWorthKeeping(volume(SPEC, Map.of()), replicas())).isTrue();
    assertThat(KeptVolume.isWorthKeeping(volume(SPEC, Map.of()), List.of())).isFalse();
  }

  /** The copies that needed the volume while it was deleted are complete. */
  @Test
  void sourceOfACopyDoesNotKeepTheListOfItsCopies() {
    Volume source = volume(SPEC, Map.of(CloneSource.COPIES_ANNOTATION, "copy/uid-copy/1"));
    assertThat(again(source).metadata().annotations())
        .doesNotContainKey(CloneSource.COPIES_ANNOTATION);
  }

  private static List<Replica> replicas() {
    Replica replica = Replica.of("v-r-1", ReplicaSpec.EMPTY.withVolume("v"));
    return List.of(replica.withStatus(replica.status().withProvisioned(true)));
  }
}

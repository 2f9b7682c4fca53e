package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.DeletionCondition;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PendingDeletionTest {
  private static Views attached() {
    return Views.made(VolumeState.ATTACHED, "n1", "n1")
        .replicas("RUNNING", "RUNNING", "RUNNING")
        .engine("RUNNING", "n1", "RUNNING")
        .ticket("api-n1", "api");
  }

  private static Views detached() {
    return Views.made(VolumeState.DETACHED, "", "");
  }

  private static Optional<Condition> pending(VolumePlan plan) {
    return Condition.find(plan.status().conditions(), DeletionCondition.TYPE);
  }

  @Test
  void deletionTimestampOfAnAttachedVolumeIsReportedAtOnce() {
    VolumePlan plan = attached().deleted().plan();
    Condition condition = pending(plan).orElseThrow();
    assertThat(condition.status()).isEqualTo(Condition.Status.TRUE);
    assertThat(condition.reason()).isEqualTo("DeletionRequested");
    assertThat(condition.message())
        .contains("cannot be taken back", "attached to n1 by ticket api-n1 (api)", "volume export");
    assertThat(plan.notes())
        .containsExactly(new VolumePlan.Note(true, "DeletionRequested", condition.message()));
    assertThat(attached().deleted().after(plan).plan().notes()).isEmpty();
  }

  @Test
  void deletionOfAVolumeThatIsRestoredWaitsForNoUser() {
    for (String type : List.of("volume-restore-controller", "volume-content-controller")) {
      Views restored =
          Views.made(VolumeState.ATTACHED, "n1", "n1")
              .replicas("RUNNING", "RUNNING", "RUNNING")
              .engine("RUNNING", "n1", "RUNNING")
              .ticket(type + "-v", type);
      VolumePlan plan = restored.deleted().plan();
      assertThat(pending(plan)).as(type).isEmpty();
      assertThat(plan.notes()).as(type).isEmpty();
    }
  }

  @Test
  void attachedVolumeStaysUntilItIsDetached() {
    VolumePlan plan = attached().deletedWhenDetached().plan();
    assertThat(pending(plan).orElseThrow().reason()).isEqualTo("DeleteWhenDetached");
    assertThat(plan.deletion()).isFalse();
    assertThat(attached().deletedWhenDetached().after(plan).plan().deletion()).isFalse();
  }

  @Test
  void detachedVolumeIsDeletedAfterThatIsRecorded() {
    VolumePlan first = detached().deletedWhenDetached().plan();
    assertThat(pending(first).orElseThrow().reason()).isEqualTo("Detached");
    assertThat(first.deletion()).isFalse();
    assertThat(detached().deletedWhenDetached().after(first).plan().deletion()).isTrue();
  }

  @Test
  void detachedVolumeThatAWorkloadAsksForStays() {
    VolumePlan first = detached().deletedWhenDetached().plan();
    VolumePlan plan =
        detached().deletedWhenDetached().after(first).ticket("csi-1", "csi-attacher").plan();
    assertThat(plan.deletion()).isFalse();
    assertThat(pending(plan).orElseThrow().reason()).isEqualTo("DeleteWhenDetached");
  }

  @Test
  void cancelRemovesTheCondition() {
    VolumePlan marked = attached().deletedWhenDetached().plan();
    assertThat(pending(attached().after(marked).plan())).isEmpty();
    VolumePlan begun = detached().deletedWhenDetached().plan();
    assertThat(detached().after(begun).plan().deletion()).isFalse();
  }
}

package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.controller.Result;
import dev.holdfast.controller.testkit.StoreContext;
import dev.holdfast.controller.testkit.StoreContext.ReportedEvent;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.deletion.DeletedVolumeState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The events of a deletion that is undone or completed. */
class DeletedVolumeEventsTest {
  private static final Instant DELETED = Instant.parse("2026-11-29T12:00:00Z");
  private static final int STEPS = 20;

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final DeletedVolumeReconciler reconciler = new DeletedVolumeReconciler();

  @AfterEach
  void close() {
    store.close();
  }

  private void keep(DeletedVolumeState state, boolean undelete) throws StorageException {
    DeletedVolume created =
        store.create(
            DeletedVolume.of(
                "v",
                DeletedVolumeSpec.EMPTY
                    .withVolumeUID("gone")
                    .withVolumeSpec(Cluster.volume("v").spec())
                    .withDeletedAt(Optional.of(DELETED))
                    .withPurgeAt(Optional.of(DELETED.plus(Duration.ofHours(1))))
                    .withUndelete(undelete)));
    store.updateStatus(created.withStatus(created.status().withState(state)));
  }

  /** Reconciles until the deleted volume needs no further step. Returns the events. */
  private List<ReportedEvent> events(Instant now) throws StorageException {
    StoreContext context = new StoreContext(store, Clock.fixed(now, ZoneOffset.UTC), "n1");
    for (int step = 0; step < STEPS; step++) {
      Result unused = reconciler.reconcile("v", context);
    }
    return context.takeReported();
  }

  @Test
  void keptContentIsReportedOnceWithItsEndAndTheRemedy() throws Exception {
    keep(DeletedVolumeState.PENDING, false);
    assertThat(events(DELETED))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.reason()).isEqualTo("Kept");
              assertThat(event.message())
                  .isEqualTo(
                      "its content is kept until 2026-11-29T13:00:00Z: take the deletion back with"
                          + " 'holdfast volume undelete v'");
            });
  }

  @Test
  void deletionThatIsTakenBackEndsWithAnEventOfTheVolume() throws Exception {
    keep(DeletedVolumeState.KEPT, true);
    List<ReportedEvent> events = events(DELETED);
    assertThat(events).extracting(ReportedEvent::reason).containsExactly("Restoring", "Undeleted");
    assertThat(events.get(1).about().resourceKind()).isEqualTo(Volume.KIND);
    assertThat(store.get(DeletedVolume.KIND, "v")).isEmpty();
  }

  @Test
  void contentThatIsRemovedAfterItsTimeIsReportedWithTheReason() throws Exception {
    keep(DeletedVolumeState.KEPT, false);
    List<ReportedEvent> events = events(DELETED.plus(Duration.ofHours(1)));
    assertThat(events).extracting(ReportedEvent::reason).containsExactly("Purging", "Purged");
    assertThat(events.get(0).message()).isEqualTo("the retention period of its content has passed");
  }

  @Test
  void contentThatIsRemovedOnRequestIsReportedWithTheReason() throws Exception {
    keep(DeletedVolumeState.KEPT, false);
    store.delete(DeletedVolume.KIND, "v", "");
    List<ReportedEvent> events = events(DELETED);
    assertThat(events).extracting(ReportedEvent::reason).containsExactly("Purging", "Purged");
    assertThat(events.get(0).message()).isEqualTo("a client requested the removal of its content");
  }
}

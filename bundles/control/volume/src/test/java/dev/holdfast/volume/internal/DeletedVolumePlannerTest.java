package dev.holdfast.volume.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.deletion.DeletedVolumeState;
import dev.holdfast.resource.deletion.DeletedVolumeStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.volume.internal.deleted.DeletedVolumeFacts;
import dev.holdfast.volume.internal.deleted.DeletedVolumePlanner;
import dev.holdfast.volume.internal.deleted.DeletedVolumeStep;
import dev.holdfast.volume.internal.deleted.DeletedVolumeStep.Action;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each row of the table of a deleted volume. */
class DeletedVolumePlannerTest {
  private static final Instant DELETED = Instant.parse("2026-11-29T12:00:00Z");
  private static final Duration GRACE = Duration.ofHours(24);
  private static final String UID = "uid-of-deleted";

  /** Volumes that may have the name. */
  private enum Named {
    NONE,
    /** The volume that is being deleted. */
    FORMER,
    /** A volume that a user created. */
    OTHER,
    /** A restored volume without a state. */
    FRESH,
    /** A restored volume with its state. */
    RESTORED
  }

  private static DeletedVolume deleted(DeletedVolumeState state, String request) {
    ObjectMeta metadata = ObjectMeta.named("v").withUid(UID);
    if (request.equals("purge")) {
      metadata = metadata.withDeletionTimestamp(Optional.of(DELETED));
    }
    DeletedVolumeSpec spec =
        DeletedVolumeSpec.EMPTY
            .withVolumeUID("former")
            .withDeletedAt(Optional.of(DELETED))
            .withPurgeAt(Optional.of(DELETED.plus(GRACE)))
            .withUndelete(request.equals("undelete"));
    return DeletedVolume.of("v", spec)
        .withMetadata(metadata)
        .withStatus(DeletedVolumeStatus.EMPTY.withState(state));
  }

  private static Optional<Volume> volume(Named named) {
    Volume volume = Cluster.volume("v");
    ObjectMeta metadata = volume.metadata();
    ObjectMeta again = metadata.withAnnotations(Map.of(DeletedVolume.UNDELETED_ANNOTATION, UID));
    return switch (named) {
      case NONE -> Optional.empty();
      case FORMER -> Optional.of(volume.withMetadata(metadata.withUid("former")));
      case OTHER -> Optional.of(volume.withMetadata(metadata.withUid("other")));
      case FRESH -> Optional.of(volume.withMetadata(again.withUid("again")));
      case RESTORED ->
          Optional.of(
              volume
                  .withMetadata(again.withUid("again"))
                  .withStatus(volume.status().withState(VolumeState.DETACHED)));
    };
  }

  private static DeletedVolumeStep next(
      DeletedVolume deleted, Named named, boolean owned, boolean data, Duration age) {
    return new DeletedVolumePlanner()
        .next(new DeletedVolumeFacts(deleted, volume(named), owned, data, DELETED.plus(age)));
  }

  @ParameterizedTest
  @CsvSource({
    "PENDING,   none,     FORMER,   true,  true,  1,  WAIT",
    "PENDING,   purge,    FORMER,   true,  true,  1,  WAIT",
    "PENDING,   none,     FORMER,   true,  true,  25, WAIT",
    "PENDING,   none,     NONE,     true,  true,  1,  KEEP",
    "PENDING,   purge,    NONE,     true,  true,  1,  KEEP",
    "PENDING,   none,     OTHER,    true,  true,  1,  KEEP",
    "KEPT,      none,     NONE,     true,  true,  0,  WAIT",
    "KEPT,      none,     NONE,     true,  true,  23, WAIT",
    "KEPT,      none,     OTHER,    true,  true,  23, WAIT",
    "KEPT,      none,     NONE,     true,  true,  24, PURGE",
    "KEPT,      none,     OTHER,    true,  true,  24, PURGE",
    "KEPT,      purge,    NONE,     true,  true,  1,  PURGE",
    "KEPT,      undelete, NONE,     true,  true,  1,  RESTORE",
    "KEPT,      undelete, NONE,     true,  true,  25, RESTORE",
    "KEPT,      undelete, OTHER,    true,  true,  1,  WAIT",
    "KEPT,      undelete, OTHER,    true,  true,  25, WAIT",
    "RESTORING, undelete, NONE,     true,  true,  1,  CREATE_VOLUME",
    "RESTORING, purge,    NONE,     true,  true,  1,  CREATE_VOLUME",
    "RESTORING, undelete, OTHER,    true,  true,  1,  WAIT",
    "RESTORING, undelete, FRESH,    true,  true,  1,  RESTORE_STATUS",
    "RESTORING, undelete, RESTORED, true,  true,  1,  RETURN_PARTS",
    "RESTORING, undelete, RESTORED, true,  false, 1,  RETURN_PARTS",
    "RESTORING, undelete, RESTORED, false, false, 1,  FORGET",
    "RESTORING, purge,    RESTORED, true,  true,  25, RETURN_PARTS",
    "PURGING,   none,     NONE,     true,  true,  24, REMOVE_PARTS",
    "PURGING,   undelete, NONE,     true,  true,  24, REMOVE_PARTS",
    "PURGING,   none,     OTHER,    true,  true,  24, REMOVE_PARTS",
    "PURGING,   none,     NONE,     true,  false, 24, FORGET",
    "PURGING,   none,     NONE,     false, false, 24, FORGET",
  })
  void takesTheStepOfTheTable(
      DeletedVolumeState state,
      String request,
      Named named,
      boolean owned,
      boolean data,
      int hours,
      Action expected) {
    DeletedVolumeStep step =
        next(deleted(state, request), named, owned, data, Duration.ofHours(hours));
    assertThat(step.action()).isEqualTo(expected);
  }

  @Test
  void waitsForTheRestOfTheGrace() {
    DeletedVolumeStep step =
        next(
            deleted(DeletedVolumeState.KEPT, "none"), Named.NONE, true, true, Duration.ofHours(20));
    assertThat(step.pause()).contains(Duration.ofHours(4));
    assertThat(step.obstacle()).isEmpty();
  }

  @Test
  void namesTheVolumeThatPreventsAnUndelete() {
    DeletedVolumeStep step =
        next(deleted(DeletedVolumeState.KEPT, "undelete"), Named.OTHER, true, true, Duration.ZERO);
    assertThat(step.obstacle())
        .isEqualTo("another volume v exists: delete it with 'holdfast volume delete v'");
  }

  @Test
  void removesDataInOneStateOnly() {
    Set<DeletedVolumeState> removing = EnumSet.noneOf(DeletedVolumeState.class);
    for (DeletedVolumeState state : DeletedVolumeState.values()) {
      for (Named named : Named.values()) {
        for (String request : Arrays.asList("none", "undelete", "purge")) {
          for (int hours : new int[] {0, 1, 24, 1000}) {
            Action action =
                next(deleted(state, request), named, true, true, Duration.ofHours(hours)).action();
            if (action == Action.REMOVE_PARTS) {
              removing.add(state);
            }
          }
        }
      }
    }
    assertThat(removing).containsExactly(DeletedVolumeState.PURGING);
  }
}

package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.deletion.DeletedVolumeState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeletedVolumesTest {
  private static final VolumeSpec SPEC = VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi"));

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final DeletedVolumes deletedVolumes = new DeletedVolumes(store);

  @AfterEach
  void close() {
    store.close();
  }

  private DeletedVolume keep(DeletedVolumeState state) throws StorageException {
    DeletedVolume created =
        store.create(
            DeletedVolume.of(
                "demo",
                DeletedVolumeSpec.EMPTY
                    .withVolumeUID("gone")
                    .withVolumeSpec(SPEC)
                    .withDeletedAt(Optional.of(Instant.parse("2026-11-29T12:00:00Z")))
                    .withPurgeAt(Optional.of(Instant.parse("2026-11-30T12:00:00Z")))));
    return store.updateStatus(created.withStatus(created.status().withState(state)));
  }

  private static void assertFails(ErrorCode code, String part, Call call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(part);
  }

  private interface Call {
    void run() throws Exception;
  }

  @Test
  void undeleteIsRequestedByAField() throws Exception {
    keep(DeletedVolumeState.KEPT);
    assertThat(deletedVolumes.undelete("demo", Waiting.none())).isEmpty();
    assertThat(deletedVolumes.find("demo").orElseThrow().spec().undelete()).isTrue();
  }

  @Test
  void undeleteIsRefusedWhileAnotherVolumeHasTheName() throws Exception {
    keep(DeletedVolumeState.KEPT);
    store.create(Volume.of("demo", SPEC));
    assertFails(
        ErrorCode.BUSY,
        "'holdfast volume delete demo'",
        () -> deletedVolumes.undelete("demo", Waiting.none()));
  }

  @Test
  void undeleteIsRefusedWhileTheContentIsRemoved() throws Exception {
    keep(DeletedVolumeState.PURGING);
    assertFails(
        ErrorCode.BUSY, "is being purged", () -> deletedVolumes.undelete("demo", Waiting.none()));
  }

  @Test
  void purgeRequestsTheDeletionOfTheResource() throws Exception {
    keep(DeletedVolumeState.KEPT);
    assertThat(deletedVolumes.purge("demo", Waiting.none()).orElseThrow().isBeingDeleted())
        .isTrue();
  }

  @Test
  void purgeIsRefusedWhileTheVolumeIsRestored() throws Exception {
    keep(DeletedVolumeState.RESTORING);
    assertFails(
        ErrorCode.BUSY, "is being restored", () -> deletedVolumes.purge("demo", Waiting.none()));
  }

  @Test
  void absentOneIsNotFound() {
    assertFails(
        ErrorCode.NOT_FOUND,
        "'holdfast volume list --deleted'",
        () -> deletedVolumes.purge("demo", Waiting.none()));
  }

  @Test
  void absentVolumeIsExplainedByItsDeletion() throws Exception {
    keep(DeletedVolumeState.KEPT);
    assertFails(
        ErrorCode.NOT_FOUND,
        "take the deletion back with 'holdfast volume undelete demo'",
        () -> new Volumes(store).get("demo"));
  }

  @Test
  void absentVolumeHasNoRemedyWhileItsContentIsRemoved() throws Exception {
    keep(DeletedVolumeState.PURGING);
    assertFails(
        ErrorCode.NOT_FOUND,
        "does not exist: see 'holdfast volume list'",
        () -> new Volumes(store).get("demo"));
  }

  @Test
  void newVolumeOfTheNameIsRefused() throws Exception {
    keep(DeletedVolumeState.KEPT);
    assertFails(
        ErrorCode.ALREADY_EXISTS,
        "'holdfast volume undelete demo'",
        () -> new Volumes(store).create(VolumeRequest.of("demo", "1Gi"), Waiting.none()));
    assertThat(store.get(Volume.KIND, "demo")).isEmpty();
  }
}

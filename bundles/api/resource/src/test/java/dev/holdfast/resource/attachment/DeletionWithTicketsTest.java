package dev.holdfast.resource.attachment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The deletion of an attached volume, by the types of the tickets that hold it. */
class DeletionWithTicketsTest {
  private static final Volume ATTACHED =
      Volume.of("v", VolumeSpec.EMPTY.withNodeID("n1").withFromBackup("file:///b?backup=x"));

  private static Optional<VolumeAttachment> heldBy(String type) {
    AttachmentTicket ticket =
        AttachmentTicket.EMPTY.withId(type + "-v").withType(type).withNodeID("n1");
    return Optional.of(
        VolumeAttachment.of("v", new VolumeAttachmentSpec("v", Map.of(ticket.id(), ticket))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "snapshot-controller",
        "volume-clone-controller",
        "volume-content-controller",
        "volume-eviction-controller",
        "volume-expansion-controller",
        "volume-rebuilding-controller",
        "volume-restore-controller"
      })
  void volumeThatOnlyMaintenanceHoldsIsDeleted(String type) {
    assertThat(VolumeDeletion.users(heldBy(type))).isEmpty();
    assertThatCode(() -> VolumeDeletion.requireAllowed(ATTACHED, heldBy(type)))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"api", "csi-attacher", "share-manager-controller", "backup-controller"})
  void volumeInUseIsNotDeleted(String type) {
    StorageException refused =
        Assertions.catchThrowableOfType(
            StorageException.class, () -> VolumeDeletion.requireAllowed(ATTACHED, heldBy(type)));
    assertThat(refused.code()).isEqualTo(ErrorCode.BUSY);
    assertThat(refused).hasMessageContaining("attached to n1 by ticket " + type + "-v");
  }

  @Test
  void detachedVolumeIsDeletedWithItsTickets() {
    Volume detached = Volume.of("v", VolumeSpec.EMPTY);
    assertThatCode(() -> VolumeDeletion.requireAllowed(detached, heldBy("csi-attacher")))
        .doesNotThrowAnyException();
  }
}

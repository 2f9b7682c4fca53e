package dev.holdfast.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeSpec;
import dev.holdfast.resource.deletion.DeletedVolumeState;
import dev.holdfast.resource.deletion.DeletedVolumeStatus;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The sentences that {@code volume why} has for deleted volumes, state by state. */
class DeletedVolumeViewsTest {
  private static final Instant DELETED = Instant.parse("2026-11-29T12:00:00Z");

  private final DeletedVolumeSpec spec =
      DeletedVolumeSpec.EMPTY
          .withActualSize(Quantity.parse("3Gi"))
          .withDeletedAt(Optional.of(DELETED))
          .withPurgeAt(Optional.of(DELETED.plusSeconds(3600)));

  private static Output explanation(DeletedVolumeSpec spec, DeletedVolumeStatus status) {
    return new DeletedVolumeViews().explanation(DeletedVolume.of("demo", spec).withStatus(status));
  }

  private String text(DeletedVolumeState state) {
    return explanation(spec, DeletedVolumeStatus.EMPTY.withState(state)).text().get();
  }

  @Test
  void keptContentIsExplainedWithBothRemedies() {
    assertThat(text(DeletedVolumeState.KEPT))
        .isEqualTo(
            "Volume demo was deleted at 2026-11-29T12:00:00Z. Its content, 3Gi on each disk, is"
                + " kept until 2026-11-29T13:00:00Z. Take the deletion back: holdfast volume"
                + " undelete demo. Free the space: holdfast volume purge demo --confirm demo");
  }

  @Test
  void contentThatIsRemovedHasNoRemedy() {
    assertThat(text(DeletedVolumeState.PURGING))
        .isEqualTo(
            "Volume demo was deleted at 2026-11-29T12:00:00Z. Its content is being removed.");
  }

  @Test
  void volumeThatIsMadeAgainHasNoRemedy() {
    assertThat(text(DeletedVolumeState.RESTORING))
        .isEqualTo(
            "Volume demo was deleted at 2026-11-29T12:00:00Z, and is being made again with its"
                + " content.");
  }

  @Test
  void waitingUndeletionReportsItsReason() {
    DeletedVolumeStatus waiting =
        new DeletedVolumeStatus(DeletedVolumeState.KEPT, "another volume has the name");
    assertThat(explanation(spec.withUndelete(true), waiting).text().get())
        .endsWith(" It is asked to exist again. It waits: another volume has the name.")
        .doesNotContain("holdfast volume");
  }

  @Test
  void explanationIsAvailableToPrograms() {
    JsonNode tree =
        explanation(spec, DeletedVolumeStatus.EMPTY.withState(DeletedVolumeState.KEPT))
            .json()
            .get();
    assertThat(tree.at("/state").asText()).isEqualTo("deleted");
    assertThat(tree.at("/deletedVolumeState").asText()).isEqualTo("kept");
    assertThat(tree.at("/purgeAt").asText()).isEqualTo("2026-11-29T13:00:00Z");
  }
}

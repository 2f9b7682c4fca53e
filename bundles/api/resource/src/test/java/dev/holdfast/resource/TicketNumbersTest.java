package dev.holdfast.resource;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.attachment.VolumeAttachmentStatus;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which numbers the system gives to tickets. */
class TicketNumbersTest {
  private static final AttachmentTicket TICKET =
      AttachmentTicket.of("t", "api", "node-1", Map.of(), 0);

  private static VolumeAttachment with(AttachmentTicket... tickets) {
    Map<String, AttachmentTicket> byId = new java.util.LinkedHashMap<>();
    for (AttachmentTicket ticket : tickets) {
      byId.put(ticket.id(), ticket);
    }
    return VolumeAttachment.of("v", new VolumeAttachmentSpec("v", byId));
  }

  private static VolumeAttachment stored(VolumeAttachment given) {
    VolumeAttachment completed = given.completed(Optional.empty());
    return completed.withMetadata(completed.metadata().withGeneration(1));
  }

  private static long number(VolumeAttachment attachment, String id) {
    return attachment.spec().attachmentTickets().get(id).generation();
  }

  @Test
  void aTicketIsNumberedWhenItsAttachmentIsCreated() {
    assertThat(number(stored(with(TICKET)), "t")).isEqualTo(1);
    assertThat(number(stored(with(TICKET.withGeneration(7))), "t")).isEqualTo(7);
  }

  @Test
  void aTicketThatAsksForTheSameKeepsItsNumber() {
    VolumeAttachment before = stored(with(TICKET.withGeneration(7)));
    assertThat(number(with(TICKET.withGeneration(9)).completed(Optional.of(before)), "t"))
        .isEqualTo(7);
  }

  /** As kubectl writes it to an API server that does not number tickets. */
  @Test
  void ticketWithoutANumberGetsOneAtTheNextWrite() {
    VolumeAttachment unnumbered = with(TICKET);
    assertThat(unnumbered.spec().hasUnnumberedTickets()).isTrue();
    VolumeAttachment numbered = unnumbered.completed(Optional.of(unnumbered));
    assertThat(number(numbered, "t")).isPositive();
    assertThat(numbered.spec().hasUnnumberedTickets()).isFalse();
  }

  @Test
  void aTicketThatAsksForSomethingElseGetsAHigherNumberWhateverItSays() {
    VolumeAttachment before = stored(with(TICKET.withGeneration(7)));
    AttachmentTicket moved = TICKET.withNodeID("node-2");
    for (long said : new long[] {0, 7, 3, 99}) {
      VolumeAttachment after = with(moved.withGeneration(said)).completed(Optional.of(before));
      assertThat(number(after, "t")).isEqualTo(8);
    }
  }

  @Test
  void aTicketThatComesBackIsNotAnsweredByWhatWasSaidOfItsPredecessor() {
    AttachmentTicketStatus leftover = AttachmentTicketStatus.EMPTY.withId("t").withGeneration(12);
    VolumeAttachment before =
        stored(with())
            .withStatus(
                VolumeAttachmentStatus.EMPTY.withAttachmentTicketStatuses(Map.of("t", leftover)));
    assertThat(number(with(TICKET).completed(Optional.of(before)), "t")).isEqualTo(13);
  }

  @Test
  void theNumbersOfOneAttachmentRiseWithItsGeneration() {
    VolumeAttachment before = stored(with());
    VolumeAttachment later = before.withMetadata(before.metadata().withGeneration(5));
    assertThat(number(with(TICKET).completed(Optional.of(later)), "t")).isEqualTo(6);
  }

  @Test
  void theIdOfATicketIsItsTypeAndItsSubjectAndNotTooLong() {
    assertThat(AttachmentTicket.idOf("snapshot-controller", "s1"))
        .isEqualTo("snapshot-controller-s1");
    assertThat(AttachmentTicket.idOf("snapshot-controller", "s".repeat(300))).hasSize(253);
  }
}

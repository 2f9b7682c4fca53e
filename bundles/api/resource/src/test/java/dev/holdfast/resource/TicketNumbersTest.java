package dev.holdfast.resource;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.attachment.VolumeAttachmentStatus;
import java.time.Instant;
import java.util.List;
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

  @Test
  void statusDescribesNoTicketWhoseContentChangedUnderItsNumber() {
    AttachmentTicket ticket = AttachmentTicket.of("t", "api", "n1", Map.of("b", "1", "a", "2"), 7);
    AttachmentTicketStatus status =
        new AttachmentTicketStatus("t", true, List.of(), 7, ticket.contentHash());
    assertThat(status.describes(ticket)).isTrue();
    assertThat(status.describes(ticket.withGeneration(8))).isFalse();
    assertThat(status.describes(ticket.withNodeID("n2"))).isFalse();
    assertThat(status.describes(ticket.withParameters(Map.of("b", "1")))).isFalse();
    assertThat(status.describes(ticket.withExpiresAt(Optional.of(Instant.EPOCH)))).isFalse();
    OwnerReference owner = new OwnerReference("v1", "Snapshot", "s", "u", false);
    assertThat(status.describes(ticket.withOwnerReference(Optional.of(owner)))).isFalse();
    AttachmentTicketStatus ofAnEarlierVersion = AttachmentTicketStatus.of("t", true, List.of(), 7);
    assertThat(ofAnEarlierVersion.describes(ticket)).isTrue();
    assertThat(ofAnEarlierVersion.describes(ticket.withGeneration(8))).isFalse();
  }

  @Test
  void hashOfATicketsContentIsTheSameInEveryVersion() {
    AttachmentTicket ticket = AttachmentTicket.of("t", "api", "n1", Map.of("b", "1", "a", "2"), 7);
    // printf '1:t3:api2:n11:a1:21:b1:15:owner7:expires' | sha256sum
    assertThat(ticket.contentHash()).isEqualTo("b311db4624b7a427");
    assertThat(ticket.withGeneration(9).contentHash()).isEqualTo(ticket.contentHash());
  }
}

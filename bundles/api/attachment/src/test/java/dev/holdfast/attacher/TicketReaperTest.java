package dev.holdfast.attacher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.OwnerReference;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.snapshot.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TicketReaperTest {
  private static final String TYPE = "backup-attacher";

  private static final class Reaper extends TicketReaper {
    @Override
    public String name() {
      return TYPE;
    }

    @Override
    public int priority() {
      return 1;
    }

    @Override
    public Role role() {
      return Role.INTERRUPTIBLE;
    }
  }

  /** A ticket whose owner, a snapshot, is not in the store. */
  private static VolumeAttachment attachment() {
    OwnerReference owner =
        new OwnerReference(ResourceKind.API_VERSION, "Snapshot", "nightly", "uid-1", false);
    AttachmentTicket ticket =
        AttachmentTicket.EMPTY
            .withId("t")
            .withType(TYPE)
            .withNodeID("node-1")
            .withOwnerReference(Optional.of(owner));
    return VolumeAttachment.of("data", VolumeAttachmentSpec.EMPTY)
        .withSpec(VolumeAttachmentSpec.EMPTY.withAttachmentTickets(Map.of("t", ticket)));
  }

  private static KindCatalogue without(ResourceKind<?> absent) {
    List<ResourceKind<?>> present =
        KindCatalogue.load().kinds().stream().filter(kind -> !kind.equals(absent)).toList();
    return () -> present;
  }

  private static Map<String, AttachmentTicket> ticketsAfterReconcile(KindCatalogue kinds)
      throws Exception {
    OneAttachment world = new OneAttachment(attachment(), kinds);
    new Reaper().reconcile("data", world);
    return world.attachment().spec().attachmentTickets();
  }

  @Test
  void ticketIsRemovedWhenItsOwnerIsDeleted() throws Exception {
    assertThat(ticketsAfterReconcile(KindCatalogue.load())).isEmpty();
  }

  @Test
  void ticketStaysWhenTheKindOfItsOwnerIsAbsent() throws Exception {
    assertThat(ticketsAfterReconcile(without(Snapshot.KIND))).containsOnlyKeys("t");
  }
}

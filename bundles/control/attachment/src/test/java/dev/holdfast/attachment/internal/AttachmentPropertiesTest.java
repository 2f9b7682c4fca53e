package dev.holdfast.attachment.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.attachment.AttachmentTicketStatus;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Properties of every decision. */
class AttachmentPropertiesTest {
  private static final List<String> NODES = List.of("n1", "n2", "n3", "n9", "");
  private static final List<String> TYPES = List.copyOf(Case.TYPES.keySet());
  private static final List<String> FRONTENDS = List.of("true", "false", "any");

  private static <T> T any(List<T> values, Random random) {
    return values.get(random.nextInt(values.size()));
  }

  /** Returns any combination, including impossible ones. */
  private static Case world(Random random) {
    Case world =
        random.nextBoolean()
            ? Case.detached()
            : random.nextBoolean() ? Case.attached("n1") : Case.attachedWithoutFrontend("n1");
    if (random.nextInt(3) == 0) {
      world.rwx(random.nextBoolean());
    }
    if (random.nextInt(3) == 0) {
      world.state(any(List.of(VolumeState.values()), random), any(List.of("", "n1", "n2"), random));
    }
    if (random.nextInt(4) == 0) {
      world.migrating(any(List.of("n2", "n3"), random), random.nextBoolean());
    }
    if (random.nextInt(6) == 0) {
      world.robustness(any(List.of(Robustness.values()), random));
    }
    if (random.nextInt(5) == 0) {
      world.engine(
          any(List.of(InstanceState.values()), random), any(List.of("", "nbd://x"), random));
    }
    if (random.nextInt(6) == 0) {
      world.strictLocal("n2");
    }
    for (String node : List.of("n1", "n2", "n3")) {
      switch (random.nextInt(8)) {
        case 0 -> world.notReady(node);
        case 1 -> world.lost(node);
        case 2 -> world.gone(node);
        default -> {}
      }
    }
    if (random.nextInt(5) == 0) {
      world.deleting();
    }
    if (random.nextInt(3) == 0) {
      world.without(any(TYPES, random));
    }
    for (int i = random.nextInt(5); i > 0; i--) {
      world.ticket("t" + i, any(TYPES, random), any(NODES, random), any(FRONTENDS, random));
    }
    return world;
  }

  @Property(tries = 5000)
  void everyTicketHasItsAnswerWithAReason(@ForAll long seed) {
    AttachmentView view = world(new Random(seed)).view(List.of());
    var tickets = view.attachment().spec().attachmentTickets();
    var statuses = new AttachmentRules().next(view).status().attachmentTicketStatuses();
    assertThat(statuses.keySet()).isEqualTo(tickets.keySet());
    statuses.forEach(
        (id, status) -> {
          Condition satisfied = Condition.find(status.conditions(), "Satisfied").orElseThrow();
          assertThat(satisfied.reason()).isNotEmpty();
          assertThat(status.generation()).isEqualTo(tickets.get(id).generation());
          assertThat(status.contentHash()).isEqualTo(tickets.get(id).contentHash());
          assertThat(status.satisfied() || !satisfied.message().isEmpty()).isTrue();
          assertThat(satisfied.status() == Condition.Status.TRUE).isEqualTo(status.satisfied());
        });
  }

  @Property(tries = 5000)
  void theNodeChangesOnlyThroughEmptyOrToWhereTheVolumeWasSeenReady(@ForAll long seed) {
    AttachmentView view = world(new Random(seed)).view(List.of());
    Volume volume = view.volume().orElseThrow();
    VolumeSpec after = new AttachmentRules().next(view).volumeSpec().orElseThrow();
    String from = volume.spec().nodeID();
    String to = after.nodeID();
    boolean arrived =
        to.equals(volume.spec().migrationNodeID())
            && to.equals(volume.status().currentMigrationNodeID());
    assertThat(from.isEmpty() || to.isEmpty() || from.equals(to) || arrived).isTrue();
    if (from.isEmpty() && !to.isEmpty()) {
      assertThat(volume.status().state()).isEqualTo(VolumeState.DETACHED);
      assertThat(volume.status().currentNodeID()).isEmpty();
      assertThat(view.isReady(to)).isTrue();
    }
  }

  @Property(tries = 5000)
  void ticketIsSatisfiedOnlyWhenAttachedAndKept(@ForAll long seed) {
    AttachmentView view = world(new Random(seed)).view(List.of());
    Volume volume = view.volume().orElseThrow();
    Decision decision = new AttachmentRules().next(view);
    VolumeSpec after = decision.volumeSpec().orElseThrow();
    for (AttachmentTicketStatus status : decision.status().attachmentTicketStatuses().values()) {
      String reason = Condition.find(status.conditions(), "Satisfied").orElseThrow().reason();
      if (!status.satisfied() || reason.equals(Reasons.SHARED)) {
        continue;
      }
      assertThat(volume.status().state()).isEqualTo(VolumeState.ATTACHED);
      assertThat(after.nodeID()).isNotEmpty();
      String node =
          reason.equals(Reasons.READY_TO_MIGRATE) ? after.migrationNodeID() : after.nodeID();
      assertThat(ObservedFrontend.of(view, node)).isNotEqualTo(ObservedFrontend.UNKNOWN);
    }
  }

  @Property(tries = 2000)
  void decisionIsDeterministicAndIdempotent(@ForAll long seed) {
    AttachmentView view = world(new Random(seed)).view(List.of());
    Decision first = new AttachmentRules().next(view);
    assertThat(new AttachmentRules().next(view)).isEqualTo(first);
    AttachmentView told =
        new AttachmentView(
            view.attachment().withStatus(first.status()),
            view.volume(),
            view.engines(),
            view.nodes(),
            view.replicas(),
            view.types(),
            view.now());
    assertThat(new AttachmentRules().next(told)).isEqualTo(first);
  }
}

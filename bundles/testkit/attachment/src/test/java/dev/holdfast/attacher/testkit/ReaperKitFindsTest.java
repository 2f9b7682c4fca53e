package dev.holdfast.attacher.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.rule.testkit.PlantedRun;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each rule of the kit finds an attacher that removes all tickets, or none. */
class ReaperKitFindsTest {

  /** Removes the tickets of every type without regard to time and owner, or removes no ticket. */
  private static final class Reaper implements AttacherProvider, Reconciler<VolumeAttachment> {
    private final boolean removes;

    Reaper(boolean removes) {
      this.removes = removes;
    }

    @Override
    public String name() {
      return "toy";
    }

    @Override
    public int priority() {
      return 1;
    }

    @Override
    public Role role() {
      return Role.WORKLOAD;
    }

    @Override
    public ResourceKind<VolumeAttachment> kind() {
      return VolumeAttachment.KIND;
    }

    @Override
    public Scope scope() {
      return Scope.CLUSTER;
    }

    @Override
    public List<Watched<?>> watches() {
      return List.of();
    }

    @Override
    public Result reconcile(String name, ReconcileContext context) throws StorageException {
      VolumeAttachment attachment = context.get(VolumeAttachment.KIND, name).orElseThrow();
      if (removes && !attachment.spec().attachmentTickets().isEmpty()) {
        context
            .store()
            .update(attachment.withSpec(attachment.spec().withAttachmentTickets(Map.of())));
      }
      return Result.DONE;
    }
  }

  static final class Greedy extends ReaperKit {
    @Override
    protected Reconciler<?> attacher() {
      return new Reaper(true);
    }
  }

  static final class Idle extends ReaperKit {
    @Override
    protected Reconciler<?> attacher() {
      return new Reaper(false);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "aTicketWithoutAnEndIsNeverTakenBack",
        "ownerOfAnUnknownKindIsTreatedAsPresent",
        "theTicketsOfOthersStay"
      })
  void attacherThatRemovesAllTicketsIsFound(String rule) {
    assertThat(PlantedRun.of(Greedy.class, rule).failureOf(rule))
        .contains("rule ReaperKit." + rule, "tickets", "v/", "[]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"ticketIsRemovedAfterItsRequestedTime", "ticketIsRemovedWhenItsOwnerIsDeleted"})
  void attacherThatRemovesNothingIsFound(String rule) {
    assertThat(PlantedRun.of(Idle.class, rule).failureOf(rule))
        .contains("rule ReaperKit." + rule, "expected [", "found [v/");
  }
}

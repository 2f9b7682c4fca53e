package dev.holdfast.resource.json.fields;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.ManagedFields;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FieldOwnershipTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  private final ResourceJson json = new ResourceJson();
  private final FieldOwnership ownership = new FieldOwnership(json);

  /** Result of an application. */
  private record Outcome<R>(R resource, List<String> conflicts) {
    R resourceWithoutConflict() {
      assertThat(conflicts).isEmpty();
      return resource;
    }
  }

  private <R extends Resource<R>> Outcome<R> apply(
      ResourceKind<R> kind, Optional<R> live, String manager, String fields) throws Exception {
    String header = "\"apiVersion\":\"holdfast.dev/v1\",\"kind\":\"" + kind.kind() + "\",";
    ObjectNode applied = (ObjectNode) json.parse("{" + header + fields + "}");
    FieldOwnership.Application application =
        ownership.application(kind, live, applied, manager, NOW);
    R merged = json.decode(kind, application.merged(), ResourceJson.Mode.STRICT);
    List<String> conflicts =
        application.conflicts(merged).stream().map(c -> c.manager() + " " + c.field()).toList();
    return new Outcome<>(
        merged.withMetadata(
            merged.metadata().withManagedFields(application.managedFields(merged, NOW))),
        conflicts);
  }

  private Outcome<Volume> apply(Volume live, String manager, String fields) throws Exception {
    return apply(Volume.KIND, Optional.ofNullable(live), manager, fields);
  }

  private static Map<String, List<String>> managers(Resource<?> resource) throws Exception {
    Map<String, List<String>> managers = new java.util.TreeMap<>();
    for (ManagedFields entry : resource.metadata().managedFields()) {
      managers.put(
          entry.manager() + " " + entry.operation(),
          FieldSet.read(new ResourceJson().parse(entry.fieldsV1().json())).paths());
    }
    return managers;
  }

  @Test
  void creatorManagesNamedFieldsAndNoDefault() throws Exception {
    Volume made =
        apply(null, "ann", "\"metadata\":{\"labels\":{\"a\":\"1\"}},\"spec\":{\"size\":\"1Gi\"}")
            .resourceWithoutConflict();
    assertThat(made.spec().numberOfReplicas()).isEqualTo(3);
    assertThat(managers(made))
        .containsExactly(Map.entry("ann Apply", List.of(".metadata.labels.a", ".spec.size")));
  }

  @Test
  void anotherValueOfAForeignFieldIsAConflictTheSameIsShared() throws Exception {
    Volume made = apply(null, "ann", "\"spec\":{\"size\":\"1Gi\"}").resource();
    Volume shared = apply(made, "bob", "\"spec\":{\"size\":\"1024Mi\"}").resourceWithoutConflict();
    assertThat(managers(shared)).containsOnlyKeys("ann Apply", "bob Apply");
    assertThat(apply(shared, "bob", "\"spec\":{\"size\":\"2Gi\"}").conflicts())
        .containsExactly("ann .spec.size");
    Volume forced = apply(shared, "bob", "\"spec\":{\"size\":\"2Gi\"}").resource();
    assertThat(managers(forced)).containsOnlyKeys("bob Apply");
  }

  @Test
  void fieldNoLongerAppliedIsRemovedUnlessAnotherClientManagesIt() throws Exception {
    String both = "\"metadata\":{\"labels\":{\"a\":\"1\",\"b\":\"2\"}},\"spec\":{\"size\":\"1Gi\"}";
    Volume made = apply(null, "ann", both).resource();
    Volume shared =
        apply(made, "bob", "\"metadata\":{\"labels\":{\"b\":\"2\"}}").resourceWithoutConflict();
    Volume less = apply(shared, "ann", "\"spec\":{\"size\":\"1Gi\"}").resourceWithoutConflict();
    assertThat(less.metadata().labels()).containsExactly(Map.entry("b", "2"));
    assertThat(managers(less)).containsEntry("bob Apply", List.of(".metadata.labels.b"));
    Volume none = apply(less, "bob", "\"spec\":{}").resourceWithoutConflict();
    assertThat(none.metadata().labels()).isEmpty();
    assertThat(managers(none)).containsOnlyKeys("ann Apply");
  }

  @Test
  void entriesOfMapsAreAddedAndRemovedAsAWhole() throws Exception {
    String ticket = "{\"id\":\"%s\",\"type\":\"api\",\"nodeID\":\"n1\"}";
    String one =
        "\"spec\":{\"volume\":\"v\",\"attachmentTickets\":{\"x\":" + ticket.formatted("x") + "}}";
    String other = "\"spec\":{\"attachmentTickets\":{\"y\":" + ticket.formatted("y") + "}}";
    VolumeAttachment made =
        apply(VolumeAttachment.KIND, Optional.empty(), "ann", one).resourceWithoutConflict();
    VolumeAttachment two =
        apply(VolumeAttachment.KIND, Optional.of(made), "bob", other).resourceWithoutConflict();
    assertThat(two.spec().attachmentTickets()).containsOnlyKeys("x", "y");
    VolumeAttachment left =
        apply(VolumeAttachment.KIND, Optional.of(two), "bob", "\"spec\":{}")
            .resourceWithoutConflict();
    assertThat(left.spec().attachmentTickets()).containsOnlyKeys("x");
  }

  @Test
  void finalizersAreASetAndOwnersAreIdentifiedByUid() throws Exception {
    String mine =
        "\"metadata\":{\"finalizers\":[\"x/a\"],\"ownerReferences\":[{\"uid\":\"1\",\"name\":\"p\"}]}";
    String theirs =
        "\"metadata\":{\"finalizers\":[\"x/b\"],\"ownerReferences\":[{\"uid\":\"2\",\"name\":\"q\"}]}";
    Volume made = apply(null, "ann", mine).resource();
    Volume both = apply(made, "bob", theirs).resourceWithoutConflict();
    assertThat(both.metadata().finalizers()).containsExactly("x/a", "x/b");
    assertThat(both.metadata().ownerReferences()).hasSize(2);
    Volume left = apply(both, "ann", "\"spec\":{}").resourceWithoutConflict();
    assertThat(left.metadata().finalizers()).containsExactly("x/b");
    assertThat(left.metadata().ownerReferences()).hasSize(1);
  }

  @Test
  void anUpdateTakesWhatItChangesAndTheNextApplicationConflicts() throws Exception {
    Volume made = apply(null, "ann", "\"spec\":{\"size\":\"1Gi\",\"nodeID\":\"n1\"}").resource();
    Volume moved = made.withSpec(made.spec().withNodeID("n2"));
    Volume after =
        moved.withMetadata(
            moved
                .metadata()
                .withManagedFields(ownership.afterUpdate(made, moved, "holdfast", NOW)));
    assertThat(managers(after))
        .containsEntry("ann Apply", List.of(".spec.size"))
        .containsEntry("holdfast Update", List.of(".spec.nodeID"));
    assertThat(apply(after, "ann", "\"spec\":{\"nodeID\":\"n1\"}").conflicts())
        .containsExactly("holdfast .spec.nodeID");
    assertThat(apply(after, "ann", "\"spec\":{\"size\":\"1Gi\"}").resource().spec().nodeID())
        .isEqualTo("n2");
  }

  @Test
  void theSameApplicationAgainChangesNothing() throws Exception {
    String fields = "\"metadata\":{\"labels\":{\"a\":\"1\"}},\"spec\":{\"size\":\"1Gi\"}";
    Volume made = apply(null, "ann", fields).resource();
    assertThat(apply(made, "ann", fields).resourceWithoutConflict()).isEqualTo(made);
  }

  @Test
  void nothingIsRecordedBeforeTheFirstApplication() {
    Volume made = Volume.of("v", VolumeSpec.EMPTY.withNodeID("n1"));
    Volume moved = made.withSpec(made.spec().withNodeID("n2"));
    assertThat(ownership.afterUpdate(made, moved, "x", NOW)).isEmpty();
  }

  @Test
  void firstApplicationLeavesOtherFieldsToTheEarlierManager() throws Exception {
    String last = "{\"spec\":{\"size\":\"1Gi\"}}";
    Volume old = Volume.of("v", VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi")).withNodeID("n1"));
    Volume present =
        old.withMetadata(old.metadata().withAnnotations(Map.of(FieldOwnership.LAST_APPLIED, last)));
    Outcome<Volume> byKubectl = apply(present, "kubectl", "\"spec\":{\"size\":\"2Gi\"}");
    assertThat(managers(byKubectl.resourceWithoutConflict()))
        .containsEntry("before-first-apply Update", List.of(".spec.nodeID"))
        .containsEntry("kubectl Apply", List.of(".spec.size"))
        .containsKey("kubectl-client-side-apply Update");
    assertThat(apply(present, "bob", "\"spec\":{\"size\":\"2Gi\"}").conflicts())
        .containsExactly("kubectl-client-side-apply .spec.size");
    Volume edited = present.withSpec(present.spec().withSize(Quantity.parse("3Gi")));
    assertThat(apply(edited, "kubectl", "\"spec\":{\"size\":\"2Gi\"}").conflicts()).hasSize(1);
  }
}

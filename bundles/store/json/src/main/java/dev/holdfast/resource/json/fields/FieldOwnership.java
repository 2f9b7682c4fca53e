package dev.holdfast.resource.json.fields;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.InvalidResourceException;
import dev.holdfast.resource.ManagedFields;
import dev.holdfast.resource.ManagedFieldsOperation;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The rules of server-side apply: the managers of the fields of metadata and spec, and the effect
 * of writes on them. Fields of objects and entries of maps are managed individually, including
 * finalizers and owners; all other lists as a whole. A status has no manager.
 *
 * <p>No manager of a resource is recorded until it is applied for the first time. Fields that it
 * has by then belong to the client of {@code kubectl apply} if its annotation lists them, the
 * others to {@link #BEFORE_FIRST_APPLY}. Afterwards every write is recorded; our own controllers'
 * writes under {@link #CONTROLLERS}. Immutable; thread-safe.
 */
public final class FieldOwnership {
  /** Manager of the fields that a resource had when it was first applied. */
  public static final String BEFORE_FIRST_APPLY = "before-first-apply";

  /**
   * Manager of the fields that {@code kubectl apply} without {@code --server-side} wrote before.
   */
  public static final String CLIENT_SIDE_APPLY = "kubectl-client-side-apply";

  /** Manager of fields that the node's own controllers write without the API. */
  public static final String CONTROLLERS = "holdfast";

  /** Annotation in which {@code kubectl apply} stores the applied object. */
  public static final String LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

  private static final String KUBECTL = "kubectl";

  private final ResourceJson json;

  /** Creates the rules. */
  public FieldOwnership(ResourceJson json) {
    this.json = json;
  }

  /**
   * A field of another manager whose value differs from the applied one.
   *
   * @param manager name of the other client
   * @param operation operation by which the client became the manager
   * @param time time of its last write, if known
   * @param field its path, for example {@code .spec.size}
   */
  public record Conflict(
      String manager, ManagedFieldsOperation operation, Optional<Instant> time, String field) {}

  /** A resource and the fields that a client applies to it. */
  public final class Application {
    private final FieldSchema schema;
    private final JsonNode live;
    private final JsonNode applied;
    private final FieldManagers managers;
    private final FieldManagers.Id self;
    private final FieldSet named;
    private final FieldSet ownByAnnotation;

    private Application(
        FieldSchema schema,
        JsonNode live,
        JsonNode applied,
        FieldManagers managers,
        FieldManagers.Id self,
        FieldSet ownByAnnotation) {
      this.schema = schema;
      this.live = live;
      this.applied = applied;
      this.managers = managers;
      this.self = self;
      this.named = FieldWalk.fields(applied, schema);
      this.ownByAnnotation = ownByAnnotation;
    }

    /**
     * Returns the resource with the applied fields. Fields that the client applied before and now
     * omits are removed, unless another client manages them.
     */
    public JsonNode merged() {
      JsonNode merged = FieldMerge.merge(live, applied, schema);
      FieldSet others = managers.ofOthers(self);
      FieldSet gone = managers.of(self).minus(named).minus(others);
      return FieldMerge.without(merged, gone, named.union(others), schema);
    }

    /** Returns the fields of other managers whose value the merged resource changes. */
    public List<Conflict> conflicts(Resource<?> merged) {
      FieldSet changed =
          FieldWalk.difference(live, json.tree(merged), schema).changed().minus(ownByAnnotation);
      List<Conflict> conflicts = new ArrayList<>();
      for (Map.Entry<FieldManagers.Id, FieldSet> other : managers.others(self).entrySet()) {
        FieldManagers.Id id = other.getKey();
        for (String path : other.getValue().intersection(changed).paths()) {
          conflicts.add(new Conflict(id.manager(), id.operation(), managers.timeOf(id), path));
        }
      }
      return conflicts;
    }

    /** Returns the managers of all fields after the merged resource was stored. */
    public List<ManagedFields> managedFields(Resource<?> merged, Instant now) {
      FieldWalk.Difference difference = FieldWalk.difference(live, json.tree(merged), schema);
      boolean nothingNew =
          difference.changed().isEmpty()
              && difference.removed().isEmpty()
              && managers.of(self).equals(named);
      FieldManagers after =
          managers.othersWithout(self, difference.changed().union(difference.removed()));
      return (nothingNew ? after : after.with(self, named, now)).entries();
    }
  }

  /**
   * Prepares the application of a client's object to the stored resource.
   *
   * @param live stored resource, empty when it is absent
   * @param applied the client's object, without fields that only the server writes
   * @param manager name of the client
   * @param now time of the first application
   */
  public <R extends Resource<R>> Application application(
      ResourceKind<R> kind, Optional<R> live, ObjectNode applied, String manager, Instant now)
      throws StorageException {
    FieldSchema schema = FieldSchema.of(kind);
    JsonNode tree = live.<JsonNode>map(json::tree).orElse(MissingNode.getInstance());
    FieldManagers managers =
        live.isPresent() ? managers(live.get(), schema, now) : FieldManagers.read(List.of());
    FieldSet ownByAnnotation =
        live.isPresent() && manager.equals(KUBECTL)
            ? unchangedSinceLastApplied(live.get(), schema)
            : FieldSet.EMPTY;
    return new Application(
        schema, tree, applied, managers, FieldManagers.Id.applying(manager), ownByAnnotation);
  }

  /**
   * Returns the fields that kubectl applied without {@code --server-side} and that are unchanged
   * since. kubectl may then change them with {@code --server-side} too.
   */
  private <R extends Resource<R>> FieldSet unchangedSinceLastApplied(R live, FieldSchema schema)
      throws StorageException {
    String annotation = live.metadata().annotations().get(LAST_APPLIED);
    if (annotation == null) {
      return FieldSet.EMPTY;
    }
    JsonNode applied = lastApplied(annotation);
    JsonNode tree = json.tree(live);
    R again;
    try {
      JsonNode merged = FieldMerge.merge(tree, applied, schema);
      again = json.decode(live.resourceKind(), merged, ResourceJson.Mode.LENIENT);
    } catch (InvalidResourceException e) {
      return FieldSet.EMPTY;
    }
    FieldSet since = FieldWalk.difference(tree, json.tree(again), schema).changed();
    return FieldWalk.fields(applied, schema).minus(since);
  }

  private <R extends Resource<R>> FieldManagers managers(R live, FieldSchema schema, Instant now)
      throws StorageException {
    FieldManagers recorded = FieldManagers.read(live.metadata().managedFields());
    if (!recorded.isEmpty()) {
      return recorded;
    }
    ObjectNode empty = json.mapper().createObjectNode();
    R untouched = json.decode(live.resourceKind(), empty, ResourceJson.Mode.LENIENT);
    JsonNode tree = json.tree(live);
    FieldSet present = FieldWalk.difference(json.tree(untouched), tree, schema).changed();
    FieldSet byKubectl = FieldSet.EMPTY;
    String annotation = live.metadata().annotations().get(LAST_APPLIED);
    if (annotation != null) {
      JsonNode mark = json.mapper().createObjectNode().set("metadata", annotations(annotation));
      byKubectl =
          FieldWalk.fields(lastApplied(annotation), schema)
              .union(FieldWalk.fields(mark, schema))
              .intersection(present);
    }
    return recorded
        .with(FieldManagers.Id.updating(CLIENT_SIDE_APPLY), byKubectl, now)
        .with(FieldManagers.Id.updating(BEFORE_FIRST_APPLY), present.minus(byKubectl), now);
  }

  private JsonNode annotations(String lastApplied) {
    ObjectNode metadata = json.mapper().createObjectNode();
    metadata.putObject("annotations").put(LAST_APPLIED, lastApplied);
    return metadata;
  }

  /**
   * Returns the content of an annotation; empty when it is not JSON, because every client can write
   * it.
   */
  private JsonNode lastApplied(String annotation) {
    try {
      return json.parse(annotation);
    } catch (StorageException e) {
      return MissingNode.getInstance();
    }
  }

  /**
   * Returns the managers of the fields after a write other than an application.
   *
   * @param before the stored resource
   * @param after the resource to be stored; its managed fields are those that the writer kept
   * @param manager name of the writer
   * @param now time of the write
   */
  public <R extends Resource<R>> List<ManagedFields> afterUpdate(
      R before, R after, String manager, Instant now) {
    FieldManagers managers = FieldManagers.read(after.metadata().managedFields());
    if (managers.isEmpty()) {
      return List.of();
    }
    FieldWalk.Difference difference =
        FieldWalk.difference(
            json.tree(before), json.tree(after), FieldSchema.of(before.resourceKind()));
    FieldSet changed = difference.changed();
    FieldSet removed = difference.removed();
    FieldManagers.Id self = FieldManagers.Id.updating(manager);
    FieldManagers others = managers.othersWithout(self, changed.union(removed));
    FieldSet own = managers.of(self).union(changed).minus(removed);
    boolean same = changed.isEmpty() && own.equals(managers.of(self));
    return (same ? others : others.with(self, own, now)).entries();
  }
}

package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.access.Caller;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.http.ApiStatus;
import dev.holdfast.apiserver.internal.http.Target;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ManagedFields;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeDeletion;
import dev.holdfast.resource.json.fields.FieldOwnership;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Handles create, update and delete. */
public final class ResourceWrites {
  /** Parameter to keep the status of a new resource, for stores that are clients of this API. */
  static final String WITH_STATUS = "withStatus";

  private static final String SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789";
  private static final int SUFFIX_LENGTH = 5;

  private final ResourceStore store;
  private final RequestBodies bodies;
  private final Views views;
  private final DryRuns dryRuns;
  private final FieldOwnership ownership;
  private final Clock clock;
  private final PluginCheck plugins;
  private final FieldGuard guard;
  private final RandomGenerator random = new SecureRandom();

  public ResourceWrites(
      ResourceStore store,
      RequestBodies bodies,
      Views views,
      DryRuns dryRuns,
      FieldOwnership ownership,
      FieldGuard guard,
      Clock clock) {
    this.store = store;
    this.bodies = bodies;
    this.views = views;
    this.dryRuns = dryRuns;
    this.ownership = ownership;
    this.clock = clock;
    this.guard = guard;
    this.plugins = new PluginCheck(store);
  }

  <R extends Resource<R>> ApiResponse create(ApiRequest request, ServedKind<R> kind)
      throws ApiException, StorageException {
    View<R> view = views.choose(request, kind);
    ObjectNode tree = object(bodies.json(request));
    nameByPrefix(tree);
    if (!request.flag(WITH_STATUS)) {
      tree.remove("status");
    }
    try {
      return create(request, kind, view, tree);
    } catch (StorageException e) {
      throw ApiException.of(e, kind.target(tree.path("metadata").path("name").asText("")));
    }
  }

  private <R extends Resource<R>> ApiResponse create(
      ApiRequest request, ServedKind<R> kind, View<R> view, ObjectNode tree)
      throws ApiException, StorageException {
    RequestBodies.Decoded<R> decoded = bodies.resource(request, kind.kind(), tree);
    R wanted = decoded.resource();
    if (!wanted.metadata().resourceVersion().isEmpty()) {
      throw ApiException.badRequest(
          "resourceVersion must not be set on a resource that is created");
    }
    guard.require(request, Optional.empty(), wanted);
    plugins.require(wanted);
    R created = RequestBodies.dryRun(request) ? dryRuns.create(wanted) : store.create(wanted);
    return ApiResponse.json(201, view.one(created), decoded.warnings());
  }

  private static ObjectNode object(com.fasterxml.jackson.databind.JsonNode tree)
      throws ApiException {
    if (tree instanceof ObjectNode object) {
      return object;
    }
    throw ApiException.badRequest("the body must be an object");
  }

  private void nameByPrefix(ObjectNode tree) {
    String prefix = tree.path("metadata").path("generateName").asText("");
    boolean named = !tree.path("metadata").path("name").asText("").isEmpty();
    if (!named && !prefix.isEmpty() && tree.get("metadata") instanceof ObjectNode metadata) {
      StringBuilder name = new StringBuilder(prefix);
      for (int i = 0; i < SUFFIX_LENGTH; i++) {
        name.append(SUFFIX_LETTERS.charAt(random.nextInt(SUFFIX_LETTERS.length())));
      }
      metadata.put("name", name.toString());
    }
  }

  <R extends Resource<R>> ApiResponse update(
      ApiRequest request, ServedKind<R> kind, String name, boolean status)
      throws ApiException, StorageException {
    View<R> view = views.choose(request, kind);
    RequestBodies.Decoded<R> decoded = bodies.resource(request, kind.kind());
    R stored = write(request, kind.kind(), name, decoded.resource(), status);
    return ApiResponse.json(200, view.one(stored), decoded.warnings());
  }

  /** Writes a new version of a resource, or of its status. */
  <R extends Resource<R>> R write(
      ApiRequest request, ResourceKind<R> kind, String name, R resource, boolean status)
      throws ApiException, StorageException {
    if (!resource.name().equals(name)) {
      throw ApiException.badRequest(
          "the name of the object (\""
              + resource.name()
              + "\") does not match the name in the URL (\""
              + name
              + "\")");
    }
    boolean dryRun = RequestBodies.dryRun(request);
    if (status) {
      if (request.caller().type() == Caller.Type.NODE && kind.equals(Node.KIND)) {
        guard.requireStatus(request, store.get(kind, name), resource);
      }
      return dryRun ? dryRuns.updateStatus(resource) : store.updateStatus(resource);
    }
    Optional<R> before = store.get(kind, name);
    guard.require(request, before, resource);
    plugins.require(resource);
    R accounted = accountedFor(FieldManager.of(request), before, resource);
    return dryRun ? dryRuns.update(accounted) : store.update(accounted);
  }

  /** Records the manager of the written fields, if managers are recorded for the resource. */
  private <R extends Resource<R>> R accountedFor(String manager, Optional<R> before, R resource) {
    List<ManagedFields> recorded =
        before.map(present -> present.metadata().managedFields()).orElse(List.of());
    List<ManagedFields> given =
        recorded.isEmpty() || resource.metadata().managedFields().isEmpty()
            ? recorded
            : resource.metadata().managedFields();
    R complete = resource.withMetadata(resource.metadata().withManagedFields(given));
    if (given.isEmpty() || before.isEmpty()) {
      return complete;
    }
    return complete.withMetadata(
        complete
            .metadata()
            .withManagedFields(
                ownership.afterUpdate(before.get(), complete, manager, clock.instant())));
  }

  <R extends Resource<R>> ApiResponse delete(ApiRequest request, ServedKind<R> kind, String name)
      throws ApiException, StorageException {
    View<R> view = views.choose(request, kind);
    RequestBodies.DeleteOptions options = bodies.deleteOptions(request);
    Target target = kind.target(name);
    R present = store.get(kind.kind(), name).orElseThrow(() -> ApiException.notFound(target));
    String uid = present.metadata().uid();
    requirePrecondition(target, "UID", options.uid(), uid);
    requirePrecondition(
        target, "resourceVersion", options.resourceVersion(), present.metadata().resourceVersion());
    requireAllowed(present);
    if (options.dryRun()) {
      return ApiResponse.json(ApiStatus.success(target, uid));
    }
    Optional<R> left = store.delete(kind.kind(), name, options.uid());
    return ApiResponse.json(
        left.isPresent() ? view.one(left.get()) : ApiStatus.success(target, uid));
  }

  /**
   * Rejects the deletion of an attached volume, which would otherwise take effect at some later
   * detachment.
   */
  private void requireAllowed(Resource<?> resource) throws StorageException {
    if (resource instanceof Volume volume) {
      VolumeDeletion.requireAllowed(volume, store.get(VolumeAttachment.KIND, volume.name()));
    }
  }

  private static void requirePrecondition(Target target, String what, String wanted, String present)
      throws ApiException {
    if (!wanted.isEmpty() && !wanted.equals(present)) {
      throw ApiException.conflict(
          target,
          "the " + what + " in the precondition is " + wanted + ", but it is " + present + " now");
    }
  }

  <R extends Resource<R>> ApiResponse deleteAll(ApiRequest request, ServedKind<R> kind)
      throws ApiException, StorageException {
    View<R> view = views.choose(request, kind);
    Selection<R> selection = Selection.of(request, kind);
    RequestBodies.DeleteOptions options = bodies.deleteOptions(request);
    List<R> deleted =
        store.list(kind.kind(), selection.labels()).items().stream()
            .filter(selection::fieldsMatch)
            .toList();
    for (R resource : deleted) {
      requireAllowed(resource);
    }
    if (!options.dryRun()) {
      for (R resource : deleted) {
        deleteUnlessReplaced(resource);
      }
    }
    ObjectNode metadata = JsonNodeFactory.instance.objectNode();
    metadata.put("resourceVersion", "");
    return ApiResponse.json(view.list(deleted, metadata));
  }

  /** Deletes a listed resource unless it was deleted or replaced since. */
  private <R extends Resource<R>> void deleteUnlessReplaced(R resource) throws StorageException {
    try {
      store.delete(resource.resourceKind(), resource.name(), resource.metadata().uid());
    } catch (StorageException e) {
      boolean gone =
          switch (e.code()) {
            case NOT_FOUND, CONFLICT -> true;
            case ALREADY_EXISTS,
                INVALID,
                UNSUPPORTED,
                NO_SPACE,
                BUSY,
                UNREACHABLE,
                TIMEOUT,
                EXPIRED,
                FORBIDDEN,
                IO,
                INTERNAL ->
                false;
          };
      if (!gone) {
        throw e;
      }
    }
  }
}

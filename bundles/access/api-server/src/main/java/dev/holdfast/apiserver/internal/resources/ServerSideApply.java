package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.http.Target;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.fields.FieldOwnership;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code kubectl apply --server-side}: reads, merges by the managers of fields, and writes. */
public final class ServerSideApply {
  static final String CONTENT_TYPE = "application/apply-patch+yaml";

  private static final int ATTEMPTS = 5;
  private static final String KUBECTL = "kubectl";
  private static final List<String> SERVERS_OWN =
      List.of(
          "name",
          "namespace",
          "generateName",
          "uid",
          "resourceVersion",
          "generation",
          "creationTimestamp",
          "deletionTimestamp",
          "selfLink",
          "managedFields");

  private final ResourceStore store;
  private final RequestBodies bodies;
  private final DryRuns dryRuns;
  private final Views views;
  private final FieldOwnership ownership;
  private final FieldGuard guard;
  private final Clock clock;

  public ServerSideApply(
      ResourceStore store,
      RequestBodies bodies,
      DryRuns dryRuns,
      Views views,
      FieldOwnership ownership,
      FieldGuard guard,
      Clock clock) {
    this.store = store;
    this.bodies = bodies;
    this.dryRuns = dryRuns;
    this.views = views;
    this.ownership = ownership;
    this.guard = guard;
    this.clock = clock;
  }

  /** Content of an apply request. */
  private record Applied(String manager, boolean force, ObjectNode document, ObjectNode fields) {
    String metadata(String field) {
      return document.path("metadata").path(field).asText("");
    }
  }

  <R extends Resource<R>> ApiResponse apply(ApiRequest request, ServedKind<R> kind, String name)
      throws ApiException, StorageException {
    View<R> view = views.choose(request, kind);
    Applied applied = read(request, kind, name);
    for (int attempt = 1; ; attempt++) {
      Optional<R> live = store.get(kind.kind(), name);
      requirePreconditions(kind.target(name), applied, live);
      RequestBodies.Decoded<R> wanted = merged(request, kind.kind(), applied, live);
      guard.require(request, live, wanted.resource());
      try {
        R stored = write(request, wanted.resource(), live.isPresent());
        return ApiResponse.json(live.isPresent() ? 200 : 201, view.one(stored), wanted.warnings());
      } catch (StorageException e) {
        boolean raced = e.code() == ErrorCode.CONFLICT || e.code() == ErrorCode.ALREADY_EXISTS;
        if (!raced || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private Applied read(ApiRequest request, ServedKind<?> kind, String name) throws ApiException {
    String manager = FieldManager.required(request);
    if (!(bodies.yaml(request) instanceof ObjectNode document)) {
      throw ApiException.badRequest("the body must be an object");
    }
    JsonNode metadata = document.path("metadata");
    String named = metadata.path("name").asText(name);
    if (!named.equals(name)) {
      throw ApiException.badRequest(
          "the name of the object (\""
              + named
              + "\") is not the name in the URL (\""
              + name
              + "\")");
    } else if (!metadata.path("managedFields").isEmpty()) {
      throw ApiException.badRequest("metadata.managedFields must be nil");
    } else if (!document.path("metadata").isObject() && document.has("metadata")) {
      throw ApiException.unprocessable(kind.target(name), "metadata must be an object");
    }
    ObjectNode fields = document.deepCopy();
    fields.remove("status");
    if (fields.get("metadata") instanceof ObjectNode own) {
      own.remove(SERVERS_OWN);
    }
    return new Applied(manager, request.flag("force"), document, fields);
  }

  private static void requirePreconditions(
      Target target, Applied applied, Optional<? extends Resource<?>> live) throws ApiException {
    ObjectMeta present = live.<ObjectMeta>map(Resource::metadata).orElse(ObjectMeta.named(""));
    String uid = applied.metadata("uid");
    String version = applied.metadata("resourceVersion");
    if (!uid.isEmpty() && !uid.equals(present.uid())) {
      throw ApiException.conflict(target, "its uid is \"" + present.uid() + "\", not " + uid);
    } else if (!version.isEmpty() && !version.equals(present.resourceVersion())) {
      throw ApiException.conflict(
          target,
          "the object has been modified; please apply your changes to the latest version and try"
              + " again");
    }
  }

  private <R extends Resource<R>> RequestBodies.Decoded<R> merged(
      ApiRequest request, ResourceKind<R> kind, Applied applied, Optional<R> live)
      throws ApiException, StorageException {
    Instant now = clock.instant();
    FieldOwnership.Application application =
        ownership.application(kind, live, applied.fields(), applied.manager(), now);
    RequestBodies.Decoded<R> decoded = bodies.resource(request, kind, application.merged());
    R wanted = decoded.resource();
    List<FieldOwnership.Conflict> conflicts =
        applied.force() ? List.of() : application.conflicts(wanted);
    if (!conflicts.isEmpty()) {
      throw ApiException.applyConflict(conflicts);
    }
    ObjectMeta metadata =
        wanted
            .metadata()
            .withName(request.path().get(request.path().size() - 1))
            .withAnnotations(annotations(applied, wanted.metadata().annotations()))
            .withManagedFields(application.managedFields(wanted, now));
    return new RequestBodies.Decoded<>(wanted.withMetadata(metadata), decoded.warnings());
  }

  /**
   * Updates the annotation with which {@code kubectl apply} compares, so that users can return to
   * client-side apply.
   */
  private Map<String, String> annotations(Applied applied, Map<String, String> merged) {
    if (!applied.manager().equals(KUBECTL) || !merged.containsKey(FieldOwnership.LAST_APPLIED)) {
      return merged;
    }
    Map<String, String> result = new LinkedHashMap<>(merged);
    result.put(FieldOwnership.LAST_APPLIED, applied.document() + "\n");
    return result;
  }

  private <R extends Resource<R>> R write(ApiRequest request, R wanted, boolean exists)
      throws ApiException, StorageException {
    new PluginCheck(store).require(wanted);
    if (RequestBodies.dryRun(request)) {
      return exists ? dryRuns.update(wanted) : dryRuns.create(wanted);
    }
    return exists ? store.update(wanted) : store.create(wanted);
  }
}

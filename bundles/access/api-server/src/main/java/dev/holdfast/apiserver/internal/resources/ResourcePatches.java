package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.http.MediaType;
import dev.holdfast.apiserver.internal.http.Target;
import dev.holdfast.apiserver.internal.patch.JsonPatch;
import dev.holdfast.apiserver.internal.patch.MergePatch;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.store.ResourceStore;

/**
 * Applies patches: reads, patches and writes. A patch without a resourceVersion applies to the
 * present resource, and is therefore retried after a concurrent change.
 */
public final class ResourcePatches {
  private static final int ATTEMPTS = 5;

  private final ResourceStore store;
  private final RequestBodies bodies;
  private final ResourceWrites writes;
  private final Views views;

  public ResourcePatches(
      ResourceStore store, RequestBodies bodies, ResourceWrites writes, Views views) {
    this.store = store;
    this.bodies = bodies;
    this.writes = writes;
    this.views = views;
  }

  private interface Patch {
    JsonNode apply(ObjectNode document) throws JsonPatch.PatchException;
  }

  <R extends Resource<R>> ApiResponse patch(
      ApiRequest request, ServedKind<R> kind, String name, boolean status)
      throws ApiException, StorageException {
    View<R> view = views.choose(request, kind);
    Patch patch = read(request);
    for (int attempt = 1; ; attempt++) {
      R present =
          store.get(kind.kind(), name).orElseThrow(() -> ApiException.notFound(kind.target(name)));
      RequestBodies.Decoded<R> patched =
          bodies.resource(request, kind.kind(), patched(patch, bodies.tree(present), present));
      try {
        R stored = writes.write(request, kind.kind(), name, patched.resource(), status);
        return ApiResponse.json(200, view.one(stored), patched.warnings());
      } catch (StorageException e) {
        boolean forAnyVersion =
            patched
                .resource()
                .metadata()
                .resourceVersion()
                .equals(present.metadata().resourceVersion());
        if (e.code() != ErrorCode.CONFLICT || !forAnyVersion || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private Patch read(ApiRequest request) throws ApiException {
    String type = MediaType.parse(request.header("Content-Type").orElse("")).type();
    switch (type) {
      case "application/merge-patch+json" -> {
        JsonNode patch = bodies.parse(request);
        return document -> MergePatch.apply(document, patch);
      }
      case "application/json-patch+json" -> {
        JsonNode patch = bodies.parse(request);
        return document -> JsonPatch.apply(document, patch);
      }
      default ->
          throw ApiException.unsupportedMediaType(
              "a patch of type \""
                  + type
                  + "\" is not supported: send application/merge-patch+json or"
                  + " application/json-patch+json (kubectl patch --type=merge or --type=json); what"
                  + " is not a status can also be applied");
    }
  }

  /** Returns a document of a resource with the patch of a request. */
  JsonNode patched(ApiRequest request, ObjectNode document, Resource<?> of) throws ApiException {
    return patched(read(request), document, of);
  }

  private static JsonNode patched(Patch patch, ObjectNode document, Resource<?> present)
      throws ApiException {
    try {
      return patch.apply(document);
    } catch (JsonPatch.PatchException e) {
      throw ApiException.unprocessable(
          Target.of(present.resourceKind(), present.name()), e.getMessage());
    }
  }
}

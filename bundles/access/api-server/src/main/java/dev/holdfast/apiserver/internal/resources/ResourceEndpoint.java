package dev.holdfast.apiserver.internal.resources;

import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.http.MediaType;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.volume.Volume;

/** Handles the verbs on collections and on single resources. */
public final class ResourceEndpoint {
  private final ResourceReads reads;
  private final ResourceWrites writes;
  private final ResourcePatches patches;
  private final ServerSideApply applications;
  private final VolumeScale scale;

  public ResourceEndpoint(
      ResourceReads reads,
      ResourceWrites writes,
      ResourcePatches patches,
      ServerSideApply applications,
      VolumeScale scale) {
    this.reads = reads;
    this.writes = writes;
    this.patches = patches;
    this.applications = applications;
    this.scale = scale;
  }

  /** Answers {@code /apis/…/watch}: several watches in one stream. */
  public ApiResponse watches(
      ApiRequest request, ServedKinds kinds, WatchRequests.AccessCheck access) throws ApiException {
    if (!request.method().equals("POST")) {
      throw ApiException.methodNotAllowed(request.method(), request.pathText());
    }
    return new WatchRequests(reads).open(request, kinds, access);
  }

  /** Answers {@code /apis/…/volumes}. */
  public <R extends Resource<R>> ApiResponse collection(ApiRequest request, ServedKind<R> kind)
      throws ApiException, StorageException {
    return switch (request.method()) {
      case "GET" -> reads.listOrWatch(request, kind);
      case "POST" -> writes.create(request, kind);
      case "DELETE" -> writes.deleteAll(request, kind);
      default -> throw ApiException.methodNotAllowed(request.method(), request.pathText());
    };
  }

  /**
   * Answers {@code /apis/…/volumes/name} and {@code …/name/status}; for a volume also {@code
   * …/name/scale}.
   */
  public <R extends Resource<R>> ApiResponse single(
      ApiRequest request, ServedKind<R> kind, String name, String subresource)
      throws ApiException, StorageException {
    if (subresource.equals(VolumeScale.SUBRESOURCE) && kind.kind().equals(Volume.KIND)) {
      return scale.answer(request, name);
    }
    boolean status = subresource.equals("status");
    if (!status && !subresource.isEmpty()) {
      throw ApiException.notFound(request.pathText());
    }
    return switch (request.method()) {
      case "GET" -> reads.get(request, kind, name);
      case "PUT" -> writes.update(request, kind, name, status);
      case "PATCH" -> {
        String type = MediaType.parse(request.header("Content-Type").orElse("")).type();
        yield type.equals(ServerSideApply.CONTENT_TYPE) && !status
            ? applications.apply(request, kind, name)
            : patches.patch(request, kind, name, status);
      }
      case "DELETE" -> {
        if (status) {
          throw ApiException.methodNotAllowed(request.method(), request.pathText());
        }
        yield writes.delete(request, kind, name);
      }
      default -> throw ApiException.methodNotAllowed(request.method(), request.pathText());
    };
  }
}

package dev.holdfast.apiserver.internal;

import dev.holdfast.apiserver.internal.auth.Authentication;
import dev.holdfast.apiserver.internal.auth.Authorization;
import dev.holdfast.apiserver.internal.auth.Caller;
import dev.holdfast.apiserver.internal.auth.ClusterEndpoint;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiHandler;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.http.ApiStatus;
import dev.holdfast.apiserver.internal.http.Target;
import dev.holdfast.apiserver.internal.openapi.Discovery;
import dev.holdfast.apiserver.internal.openapi.OpenApi;
import dev.holdfast.apiserver.internal.resources.CoreEvents;
import dev.holdfast.apiserver.internal.resources.ResourceEndpoint;
import dev.holdfast.apiserver.internal.resources.ServedKind;
import dev.holdfast.apiserver.internal.resources.ServedKinds;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.json.ResourceJson;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds what a request is for, and makes every failure an answer. */
final class Router implements ApiHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Router.class);

  /** A node that joins sends a token and a certificate request, less than 4 KiB. */
  private static final int BODY_OF_ANYBODY = 16 << 10;

  private final Access access;
  private final Extensions extensions;
  private final ServerInfo info;
  private final Discovery discovery;
  private final OpenApi openApi;
  private final ResourceEndpoint resources;
  private final ServedKinds kinds;
  private final ServedKind<Event> coreEvents;

  /**
   * Authentication, rights and membership.
   *
   * @param authentication tells who sends a request
   * @param authorization tells whether they may
   * @param cluster who belongs to the cluster
   */
  record Access(
      Authentication authentication, Authorization authorization, ClusterEndpoint cluster) {}

  Router(
      Access access,
      Extensions extensions,
      ServerInfo info,
      OpenApi openApi,
      ResourceEndpoint resources,
      KindCatalogue catalogue,
      ResourceJson json) {
    this.access = access;
    this.extensions = extensions;
    this.info = info;
    this.openApi = openApi;
    this.resources = resources;
    this.coreEvents = CoreEvents.servedKind(json);
    this.discovery = new Discovery(catalogue);
    this.kinds = new ServedKinds(catalogue, json);
  }

  @Override
  public Optional<StreamedCall> streamed(ApiRequest head) throws ApiException {
    Optional<StreamedCall> call = extensions.call(head);
    if (call.isPresent()) {
      Caller caller = access.authentication().require(head);
      access.authorization().require(caller, head);
    }
    return call;
  }

  @Override
  public int largestBody(ApiRequest head) throws ApiException {
    Caller caller = access.authentication().require(head);
    return caller.role() == Caller.Role.ANYBODY ? BODY_OF_ANYBODY : Integer.MAX_VALUE;
  }

  @Override
  public ApiResponse handle(ApiRequest request) {
    try {
      Caller caller = access.authentication().require(request);
      access.authorization().require(caller, request);
      return route(caller, request);
    } catch (ApiException e) {
      return e.status().response();
    } catch (StorageException e) {
      return target(request).map(t -> ApiStatus.of(e, t)).orElse(ApiStatus.of(e)).response();
    } catch (RuntimeException e) {
      LOG.error("{} {} failed", request.method(), request.pathText(), e);
      return ApiStatus.failure(
              500, "InternalError", "an error of the server's own; its log has the details")
          .response();
    }
  }

  private ApiResponse route(Caller caller, ApiRequest request)
      throws ApiException, StorageException {
    List<String> path = request.path();
    String first = path.isEmpty() ? "" : path.get(0);
    return switch (first) {
      case "version", "livez", "readyz", "healthz" -> info.answer(readOnly(request));
      case "api" -> core(readOnly(request));
      case "apis" -> group(request);
      case "openapi" -> openApi(readOnly(request));
      case "cluster" -> access.cluster().answer(caller, request);
      default -> throw ApiException.notFound(request.pathText());
    };
  }

  private static ApiRequest readOnly(ApiRequest request) throws ApiException {
    if (!request.method().equals("GET")) {
      throw ApiException.methodNotAllowed(request.method(), request.pathText());
    }
    return request;
  }

  private ApiResponse openApi(ApiRequest request) throws ApiException {
    String accept = request.header("Accept").orElse("");
    List<String> path = request.path();
    Optional<ApiResponse> document = openApi.document(path.subList(1, path.size()), accept);
    return document.orElseThrow(() -> ApiException.notFound(request.pathText()));
  }

  private ApiResponse core(ApiRequest request) throws ApiException, StorageException {
    List<String> path = request.path();
    if (path.size() == 1) {
      return discovery.core(request);
    } else if (!path.get(1).equals("v1")) {
      throw ApiException.notFound(request.pathText());
    } else if (path.size() == 2) {
      return discovery.coreResources();
    }
    boolean namespaced = path.size() > 4 && path.get(2).equals("namespaces");
    List<String> rest = path.subList(namespaced ? 4 : 2, path.size());
    if (!rest.get(0).equals("events") || rest.size() > (namespaced ? 2 : 1)) {
      throw ApiException.notFound(request.pathText());
    }
    return rest.size() == 1
        ? resources.collection(request, coreEvents)
        : resources.single(request, coreEvents, rest.get(1), "");
  }

  private ApiResponse group(ApiRequest request) throws ApiException, StorageException {
    List<String> path = request.path();
    if (path.size() == 1) {
      return discovery.groups(readOnly(request));
    } else if (!path.get(1).equals(ResourceKind.GROUP)) {
      throw ApiException.notFound(request.pathText());
    } else if (path.size() == 2) {
      return discovery.group();
    } else if (!path.get(2).equals(ResourceKind.VERSION)) {
      throw ApiException.notFound(request.pathText());
    } else if (path.size() == 3) {
      return discovery.resources();
    }
    Optional<ServedKind<?>> kind = kinds.at(path.get(3));
    if (kind.isEmpty() || path.size() > 6) {
      throw ApiException.notFound(request.pathText());
    }
    return resource(request, kind.get());
  }

  private <R extends Resource<R>> ApiResponse resource(ApiRequest request, ServedKind<R> kind)
      throws ApiException, StorageException {
    List<String> path = request.path();
    if (path.size() == 4) {
      return resources.collection(request, kind);
    }
    return resources.single(request, kind, path.get(4), path.size() == 6 ? path.get(5) : "");
  }

  private Optional<Target> target(ApiRequest request) {
    List<String> path = request.path();
    if (path.size() < 4 || !path.get(0).equals("apis")) {
      return Optional.empty();
    }
    return kinds.at(path.get(3)).map(kind -> kind.target(path.size() > 4 ? path.get(4) : ""));
  }
}

package dev.holdfast.apiserver.internal;

import dev.holdfast.access.AccessDecision;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.Caller;
import dev.holdfast.apiserver.internal.auth.ClusterEndpoint;
import dev.holdfast.apiserver.internal.auth.RequestAdmission;
import dev.holdfast.apiserver.internal.auth.SelfReviews;
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
import dev.holdfast.http.PieceSource;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.json.ResourceJson;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Routes requests to their handlers, and converts every failure into an answer. */
final class Router implements ApiHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Router.class);

  /**
   * Size limit for unauthenticated bodies. The join request of a node, with a token and a
   * certificate request, has less than 4 KiB.
   */
  private static final int BODY_OF_ANYBODY = 16 << 10;

  /** Last segment of the path of several watches in one stream. */
  private static final String WATCHES = "watch";

  private final Access access;
  private final Extensions extensions;
  private final ServerInfo info;
  private final Discovery discovery;
  private final OpenApi openApi;
  private final ResourceEndpoint resources;
  private final ServedKinds kinds;
  private final ServedKind<Event> coreEvents;

  /**
   * Rights and membership.
   *
   * @param admission decides each request
   * @param audit records requests
   * @param streams ends streams with the rights of their callers
   * @param reviews answers self reviews of callers
   * @param cluster membership of nodes in the cluster
   */
  record Access(
      RequestAdmission admission,
      RequestAudit audit,
      OpenStreams streams,
      SelfReviews reviews,
      ClusterEndpoint cluster) {}

  Router(
      Access access,
      Extensions extensions,
      ServerInfo info,
      OpenApi openApi,
      ResourceEndpoint resources,
      KindCatalogue catalogue,
      ServedKinds kinds,
      ResourceJson json) {
    this.access = access;
    this.extensions = extensions;
    this.info = info;
    this.openApi = openApi;
    this.resources = resources;
    this.coreEvents = CoreEvents.servedKind(json);
    this.discovery = new Discovery(catalogue);
    this.kinds = kinds;
  }

  @Override
  public Optional<StreamedCall> openCall(ApiRequest head) {
    return extensions.rootCall(head, new SignInTokens(access.admission(), access.audit(), head));
  }

  @Override
  public Optional<GuardedCall> guardedCall(ApiRequest head) {
    return extensions.call(head).map(call -> () -> admitted(head, call));
  }

  private StreamedCall admitted(ApiRequest head, StreamedCall call) throws ApiException {
    RequestAudit.Attempt attempt = access.audit().begin(head);
    AccessRequest requested = refusalRecorded(attempt, () -> admit(head, attempt));
    return attempt.recorded(
        access.streams().bound(call, () -> access.admission().isStillAllowed(head, requested)));
  }

  @Override
  public Sender sender(ApiRequest head) throws ApiException {
    if (extensions.hasRoot(head)) {
      return new Sender("", false, false, BODY_OF_ANYBODY);
    }
    RequestAudit.Attempt attempt = access.audit().begin(head);
    Caller caller = refusalRecorded(attempt, () -> access.admission().knownCaller(head));
    return switch (caller.type()) {
      case ANONYMOUS -> new Sender("", false, false, BODY_OF_ANYBODY);
      case NODE -> new Sender(caller.name(), true, false, Integer.MAX_VALUE);
      case ADMINISTRATOR, TOKEN, USER -> new Sender(caller.name(), true, true, Integer.MAX_VALUE);
    };
  }

  /** A part of a request's decision. */
  private interface Decision<T> {
    T make() throws ApiException;
  }

  private static <T> T refusalRecorded(RequestAudit.Attempt attempt, Decision<T> decision)
      throws ApiException {
    try {
      return decision.make();
    } catch (ApiException e) {
      attempt.end(e.status().code(), e.status().message());
      throw e;
    }
  }

  @Override
  public ApiResponse handle(ApiRequest request) {
    RequestAudit.Attempt attempt = access.audit().begin(request);
    attempt.beginLog();
    try {
      return answer(request, attempt);
    } finally {
      attempt.endLog();
    }
  }

  private ApiResponse answer(ApiRequest request, RequestAudit.Attempt attempt) {
    try {
      AccessRequest requested = admit(request, attempt);
      LOG.debug("{}: {}", attempt.caller().name(), requested.text());
      ApiResponse response = route(attempt.caller(), request.by(attempt.caller()));
      if (response instanceof ApiResponse.Streaming streaming) {
        attempt.end(200, "");
        return access
            .streams()
            .bound(streaming, () -> access.admission().isStillAllowed(request, requested));
      }
      attempt.end(((ApiResponse.Content) response).code(), "");
      return response;
    } catch (ApiException e) {
      return ended(attempt, e.status());
    } catch (StorageException e) {
      return ended(attempt, target(request).map(t -> ApiStatus.of(e, t)).orElse(ApiStatus.of(e)));
    } catch (RuntimeException e) {
      LOG.error("{} {} failed", request.method(), request.pathText(), e);
      return ended(
          attempt,
          ApiStatus.failure(500, "InternalError", "internal error of the server: see its log"));
    }
  }

  private static ApiResponse ended(RequestAudit.Attempt attempt, ApiStatus status) {
    attempt.end(status.code(), status.message());
    return status.response();
  }

  private AccessRequest admit(ApiRequest request, RequestAudit.Attempt attempt)
      throws ApiException {
    Caller caller = access.admission().caller(request);
    AccessRequest requested = access.admission().requested(request);
    attempt.asks(caller, requested);
    String reason = access.admission().require(caller, requested).reason();
    attempt.permitted(reason, access.admission().used(caller, request.source()));
    attempt.requireRecord();
    return requested;
  }

  private ApiResponse route(Caller caller, ApiRequest request)
      throws ApiException, StorageException {
    List<String> path = request.path();
    String first = path.isEmpty() ? "" : path.get(0);
    return switch (first) {
      case "version", "livez", "readyz", "healthz" -> info.answer(readOnly(request));
      case "api" -> core(readOnly(request));
      case "apis" -> group(caller, request);
      case "openapi" -> openApi(readOnly(request));
      case "cluster" -> access.cluster().answer(caller, request);
      default -> throw ApiException.notFound(request.pathText());
    };
  }

  private UnaryOperator<PieceSource> admitted(Caller caller, ApiRequest alone) throws ApiException {
    AccessRequest requested = access.admission().requested(alone);
    AccessDecision unused = access.admission().require(caller, requested);
    return source ->
        access.streams().bound(source, () -> access.admission().isStillAllowed(alone, requested));
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

  private ApiResponse group(Caller caller, ApiRequest request)
      throws ApiException, StorageException {
    List<String> path = request.path();
    if (path.size() == 1) {
      return discovery.groups(readOnly(request));
    } else if (SelfReviews.isReview(path)) {
      return access.reviews().answer(caller, request);
    } else if (!path.get(1).equals(ResourceKind.GROUP)) {
      throw ApiException.notFound(request.pathText());
    } else if (path.size() == 2) {
      return discovery.group();
    } else if (!path.get(2).equals(ResourceKind.VERSION)) {
      throw ApiException.notFound(request.pathText());
    } else if (path.size() == 3) {
      return discovery.resources();
    }
    if (path.size() == 4 && path.get(3).equals(WATCHES)) {
      return resources.watches(request, kinds, alone -> admitted(caller, alone));
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

package dev.holdfast.apiserver.internal;

import dev.holdfast.access.ApiDocument;
import dev.holdfast.access.ApiExtension;
import dev.holdfast.access.BrowserSessions;
import dev.holdfast.access.ClusterUsers;
import dev.holdfast.access.ExtensionRequest;
import dev.holdfast.access.IdentityProvider;
import dev.holdfast.access.RootExtension;
import dev.holdfast.access.RootRequest;
import dev.holdfast.access.TokenCheck;
import dev.holdfast.apiserver.internal.auth.RequestReader;
import dev.holdfast.apiserver.internal.auth.SelfReviews;
import dev.holdfast.apiserver.internal.http.ApiHandler;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The present subresources, documents, paths and browser sessions of other bundles. Thread-safe.
 */
final class Extensions {
  private static final int SEGMENTS = 6;

  private static final int FOUND = 302;

  private final List<ApiExtension> all = new CopyOnWriteArrayList<>();
  private final List<ApiDocument> documents = new CopyOnWriteArrayList<>();
  private final List<RootExtension> roots = new CopyOnWriteArrayList<>();
  private final List<BrowserSessions> sessions = new CopyOnWriteArrayList<>();
  private final List<IdentityProvider> identities = new CopyOnWriteArrayList<>();
  private final List<ClusterUsers> clusterUsers = new CopyOnWriteArrayList<>();

  void add(ApiExtension extension) {
    all.add(extension);
  }

  void remove(ApiExtension extension) {
    all.remove(extension);
  }

  void add(ApiDocument document) {
    documents.add(document);
  }

  void remove(ApiDocument document) {
    documents.remove(document);
  }

  void add(RootExtension root) {
    roots.add(root);
  }

  void remove(RootExtension root) {
    roots.remove(root);
  }

  void add(BrowserSessions added) {
    sessions.add(added);
  }

  void remove(BrowserSessions removed) {
    sessions.remove(removed);
  }

  void add(IdentityProvider added) {
    identities.add(added);
  }

  void remove(IdentityProvider removed) {
    identities.remove(removed);
  }

  void add(ClusterUsers added) {
    clusterUsers.add(added);
  }

  void remove(ClusterUsers removed) {
    clusterUsers.remove(removed);
  }

  /** Returns the users of the cluster that keeps the resources; empty if none. */
  Optional<ClusterUsers> clusterUsers() {
    return clusterUsers.stream().findFirst();
  }

  /** Returns the identity provider of the cluster; empty if none. */
  Optional<IdentityProvider> identityProvider() {
    return identities.stream().filter(IdentityProvider::isConfigured).findFirst();
  }

  /**
   * Returns the credential of the browser that sends a request; empty for another client.
   *
   * @throws StorageException FORBIDDEN when the browser may not send this request; UNREACHABLE
   *     while the bundle with the sessions is replaced
   */
  Optional<String> browserCredential(ApiRequest request) throws StorageException {
    if (sessions.isEmpty() && request.header("Cookie").isPresent()) {
      // A FORBIDDEN answer would make the page of a signed-in user show its sign-in.
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "this node has not loaded the sessions of browsers yet: try again");
    }
    for (BrowserSessions each : sessions) {
      Optional<String> credential =
          each.credentialOf(request.method(), changes(request), request.headers());
      if (credential.isPresent()) {
        return credential;
      }
    }
    return Optional.empty();
  }

  /**
   * Returns whether a request changes data. Watches of several kinds and self reviews use POST but
   * only read.
   */
  private static boolean changes(ApiRequest request) {
    return !request.method().equals("GET")
        && !request.path().equals(RequestReader.WATCHES)
        && !SelfReviews.isReview(request.path());
  }

  /** Returns whether an extension with paths of its own answers a request. */
  boolean hasRoot(ApiRequest request) {
    return request.path().isEmpty()
        ? isBrowser(request) && !roots.isEmpty()
        : roots.stream().anyMatch(root -> root.root().equals(request.path().get(0)));
  }

  /** Returns the call of an extension with paths of its own; empty for other paths. */
  Optional<ApiHandler.StreamedCall> rootCall(ApiRequest request, TokenCheck tokens) {
    if (request.path().isEmpty()) {
      return isBrowser(request)
          ? roots.stream().findFirst().map(Extensions::redirect)
          : Optional.empty();
    }
    return roots.stream()
        .filter(root -> root.root().equals(request.path().get(0)))
        .findFirst()
        .map(
            root ->
                (body, response) ->
                    root.handle(
                        new RootRequest(
                            request.method(),
                            request.path(),
                            request.directory(),
                            parameters(request),
                            request.source(),
                            request.headers(),
                            tokens,
                            body),
                        response));
  }

  private static boolean isBrowser(ApiRequest request) {
    return request.method().equals("GET")
        && request.header("Accept").filter(accept -> accept.contains("text/html")).isPresent();
  }

  /**
   * Returns a redirect. The address is relative, so that it is valid behind a proxy that adds a
   * prefix.
   */
  private static ApiHandler.StreamedCall redirect(RootExtension root) {
    Map<String, String> headers = Map.of("Location", root.root() + "/");
    return (body, response) -> response.begin(FOUND, "text/plain", 0, headers).close();
  }

  /** Returns the call of the matching extension; empty if none matches. */
  Optional<ApiHandler.StreamedCall> call(ApiRequest request) {
    return document(request).or(() -> subresource(request));
  }

  private Optional<ApiHandler.StreamedCall> document(ApiRequest request) {
    return documents.stream()
        .filter(document -> request.method().equals("GET"))
        .filter(document -> document.path().equals(request.pathText()))
        .findFirst()
        .map(
            document ->
                (body, response) -> document.handle(extensionRequest(request, "", body), response));
  }

  private Optional<ApiHandler.StreamedCall> subresource(ApiRequest request) {
    List<String> path = request.path();
    boolean below =
        path.size() == SEGMENTS
            && path.get(0).equals("apis")
            && path.get(1).equals(ResourceKind.GROUP)
            && path.get(2).equals(ResourceKind.VERSION);
    if (!below) {
      return Optional.empty();
    }
    return all.stream()
        .filter(extension -> extension.plural().equals(path.get(3)))
        .filter(extension -> extension.subresource().equals(path.get(5)))
        .filter(extension -> extension.methods().contains(request.method()))
        .findFirst()
        .map(
            extension ->
                (body, response) ->
                    extension.handle(extensionRequest(request, path.get(4), body), response));
  }

  private static ExtensionRequest extensionRequest(
      ApiRequest request, String name, InputStream body) {
    return new ExtensionRequest(
        request.method(), name, parameters(request), request.headers(), body);
  }

  private static Map<String, String> parameters(ApiRequest request) {
    Map<String, String> parameters = new TreeMap<>();
    request
        .query()
        .forEach(
            (name, values) -> values.stream().findFirst().ifPresent(v -> parameters.put(name, v)));
    return parameters;
  }
}

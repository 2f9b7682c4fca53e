package dev.holdfast.apiserver.internal.http;

import dev.holdfast.access.Caller;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A request, independent of the HTTP server.
 *
 * @param method in upper case
 * @param path the decoded segments of the path
 * @param directory whether the path ends with a slash
 * @param query decoded parameters, each with its values in order
 * @param headers gives the value of a header by its name, empty if it is absent
 * @param body the complete body as text; for protobuf one byte per character
 * @param source address of the client, empty if unknown
 * @param certificates certificate chain of the client, its own first; may be empty
 * @param caller the sender; anonymous until its authentication
 */
public record ApiRequest(
    String method,
    List<String> path,
    boolean directory,
    Map<String, List<String>> query,
    Function<String, Optional<String>> headers,
    String body,
    String source,
    List<X509Certificate> certificates,
    Caller caller) {
  private static final String PROTOBUF = "application/vnd.kubernetes.protobuf";

  /** Returns a request without a body and with an unknown sender. */
  public static ApiRequest of(
      String method,
      List<String> path,
      Map<String, List<String>> query,
      Function<String, Optional<String>> headers,
      String source) {
    return new ApiRequest(
        method, path, false, query, headers, "", source, List.of(), Caller.ANONYMOUS);
  }

  /** Returns this request with or without a slash at the end of its path. */
  public ApiRequest ofDirectory(boolean slash) {
    return new ApiRequest(method, path, slash, query, headers, body, source, certificates, caller);
  }

  /** Returns this request with the client's certificates. */
  public ApiRequest withCertificates(List<X509Certificate> shown) {
    return new ApiRequest(method, path, directory, query, headers, body, source, shown, caller);
  }

  /** Returns the first non-empty value of a query parameter. */
  public Optional<String> parameter(String name) {
    return query.getOrDefault(name, List.of()).stream().filter(v -> !v.isEmpty()).findFirst();
  }

  /** Returns whether a query parameter is true. */
  public boolean flag(String name) {
    return parameter(name).filter(v -> v.equals("true") || v.equals("1")).isPresent();
  }

  /** Returns whether the body is a message of Kubernetes in protobuf. */
  public boolean isProtobuf() {
    return header("Content-Type").filter(type -> type.startsWith(PROTOBUF)).isPresent();
  }

  public Optional<String> header(String name) {
    return headers.apply(name);
  }

  /** Returns the same request with its body. */
  public ApiRequest withBody(String received) {
    return new ApiRequest(
        method, path, directory, query, headers, received, source, certificates, caller);
  }

  /** Returns the same request with its sender. */
  public ApiRequest by(Caller sender) {
    return new ApiRequest(
        method, path, directory, query, headers, body, source, certificates, sender);
  }

  /** Returns the path as text, for messages. */
  public String pathText() {
    return "/" + String.join("/", path);
  }
}

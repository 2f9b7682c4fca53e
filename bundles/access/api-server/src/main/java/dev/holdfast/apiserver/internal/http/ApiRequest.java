package dev.holdfast.apiserver.internal.http;

import dev.holdfast.access.Caller;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * One request, free of the server that received it.
 *
 * @param method in upper case
 * @param path the decoded segments of the path
 * @param directory whether the path ends with a slash
 * @param query decoded parameters, each with its values in order
 * @param headers gives the value of a header by its name, empty when it is not there
 * @param body the whole body as text; of a body in protobuf each character is one byte
 * @param source address of the client, empty where the server does not report it
 * @param certificates that the client showed, its own one first; empty without one
 * @param caller the sender: anonymous until authentication has recognized the credential
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

  /** Returns a request without a body, of which the sender is not known yet. */
  public static ApiRequest of(
      String method,
      List<String> path,
      Map<String, List<String>> query,
      Function<String, Optional<String>> headers,
      String source) {
    return new ApiRequest(
        method, path, false, query, headers, "", source, List.of(), Caller.ANONYMOUS);
  }

  /** Returns the same request, whose path ends with a slash or does not. */
  public ApiRequest ofDirectory(boolean slash) {
    return new ApiRequest(method, path, slash, query, headers, body, source, certificates, caller);
  }

  /** Returns the same request of a client that showed certificates. */
  public ApiRequest withCertificates(List<X509Certificate> shown) {
    return new ApiRequest(method, path, directory, query, headers, body, source, shown, caller);
  }

  /** Returns the first value of a query parameter that is not empty. */
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

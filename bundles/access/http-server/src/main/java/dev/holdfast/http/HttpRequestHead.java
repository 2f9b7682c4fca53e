package dev.holdfast.http;

import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Head of a request, decoded.
 *
 * @param method in upper case, not null
 * @param path the decoded segments of the path, without empty ones, not null
 * @param directory whether the path ends with a slash
 * @param query decoded parameters, each with its values in order, not null
 * @param headers gives the first value of a header by its name in any case, and all values of
 *     X-Forwarded-For with commas between; not null
 * @param client address of the client's socket, not null; never resolved to a name
 * @param certificates client certificates of the handshake, the client's own first; empty without
 *     one, and for a request from a trusted proxy; not null
 */
public record HttpRequestHead(
    String method,
    List<String> path,
    boolean directory,
    Map<String, List<String>> query,
    Function<String, Optional<String>> headers,
    InetAddress client,
    List<X509Certificate> certificates) {
  /** Copies the lists and rejects null components. */
  public HttpRequestHead {
    Objects.requireNonNull(method, "method");
    path = List.copyOf(path);
    Objects.requireNonNull(query, "query");
    Objects.requireNonNull(headers, "headers");
    Objects.requireNonNull(client, "client");
    certificates = List.copyOf(certificates);
  }
}

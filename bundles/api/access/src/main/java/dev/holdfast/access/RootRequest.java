package dev.holdfast.access;

import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * A request for a {@link RootExtension}.
 *
 * @param method in upper case, not null
 * @param path decoded segments of the path; the first one is the root; not null
 * @param directory whether the path ends with a slash
 * @param parameters first value of each parameter of the query, not null
 * @param source address of the client, not null
 * @param headers gives the value of a header by its name, not null
 * @param tokens identifies the credential of a token, not null
 * @param body the stream ends at the end of the request; the extension must limit its size; not
 *     null
 */
public record RootRequest(
    String method,
    List<String> path,
    boolean directory,
    Map<String, String> parameters,
    String source,
    Function<String, Optional<String>> headers,
    TokenCheck tokens,
    InputStream body) {
  /** Copies path and parameters, and rejects null components. */
  public RootRequest {
    Objects.requireNonNull(method, "method");
    path = List.copyOf(path);
    parameters = Map.copyOf(parameters);
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(headers, "headers");
    Objects.requireNonNull(tokens, "tokens");
    Objects.requireNonNull(body, "body");
  }

  /**
   * Returns the value of a header.
   *
   * @param name of the header, in any case, not null
   * @return empty when the request does not have it
   */
  public Optional<String> header(String name) {
    return headers.apply(name);
  }
}

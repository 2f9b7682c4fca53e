package dev.holdfast.access;

import java.io.InputStream;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * A request for an {@link ApiExtension}.
 *
 * @param method in upper case, not null
 * @param name of the resource, not null
 * @param parameters first value of each parameter of the query, not null
 * @param headers gives the value of a header by its name, not null
 * @param body the stream ends at the end of the request, not null
 */
public record ExtensionRequest(
    String method,
    String name,
    Map<String, String> parameters,
    Function<String, Optional<String>> headers,
    InputStream body) {
  /** Copies the parameters and rejects null components. */
  public ExtensionRequest {
    Objects.requireNonNull(method, "method");
    Objects.requireNonNull(name, "name");
    parameters = Map.copyOf(parameters);
    Objects.requireNonNull(headers, "headers");
    Objects.requireNonNull(body, "body");
  }
}

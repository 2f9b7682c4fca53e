package dev.holdfast.http;

import java.util.Objects;

/**
 * A request that the server rejects because of its form or a limit.
 *
 * @param code HTTP status code, at least 400
 * @param message text for users, not null
 */
public record HttpRefusal(int code, String message) {
  /** Rejects null components. */
  public HttpRefusal {
    Objects.requireNonNull(message, "message");
  }
}

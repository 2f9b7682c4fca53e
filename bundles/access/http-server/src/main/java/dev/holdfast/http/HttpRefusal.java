package dev.holdfast.http;

import java.util.Objects;

/**
 * A request that the server itself refuses, because of its form or of a limit.
 *
 * @param code of HTTP, from 400
 * @param message text for users, not null
 */
public record HttpRefusal(int code, String message) {
  /** Rejects null components. */
  public HttpRefusal {
    Objects.requireNonNull(message, "message");
  }
}

package dev.holdfast.frontend;

import java.util.Objects;
import java.util.function.Predicate;

/**
 * Rights of a client.
 *
 * @param client name for messages, not null
 * @param exports decides by the name of an export whether the client may use it; for any thread,
 *     without blocking; not null
 * @param readOnly whether the client may only read
 * @since 2.2
 */
public record ClientRights(String client, Predicate<String> exports, boolean readOnly) {
  /** Rejects null components. */
  public ClientRights {
    Objects.requireNonNull(client, "client");
    Objects.requireNonNull(exports, "exports");
  }

  /**
   * Returns whether the client may use an export.
   *
   * @param export name, not null
   */
  public boolean shows(String export) {
    return exports.test(export);
  }
}

package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import java.util.Objects;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Receives the events of an open volume from its engine. Calls come on any thread and must return
 * soon.
 */
@ProviderType
public interface EngineListener {

  /**
   * The mode of a replica changed. Everything that makes the change safe is durable before this
   * call.
   *
   * @param replica name of the replica, not null
   * @param mode its new mode, not null
   * @param reason for a person, not null
   */
  void replicaChanged(String replica, MemberMode mode, String reason);

  /**
   * The volume can serve no more requests: no replica is left, or another engine took over.
   *
   * @param cause why, not null
   */
  void failed(StorageException cause);

  /**
   * A native export changed by itself: its endpoints, or the process that serves it was restarted,
   * or it ended. The platform then asks for the export again.
   *
   * @since 2.1
   */
  default void exportChanged() {}

  /**
   * Another party took a replica away from this opening, and the volume continues without it.
   *
   * @param replica name of the replica, not null
   * @param reason for a person, not null
   * @since 2.1
   */
  default void replicaDropped(String replica, String reason) {}

  /**
   * Requests of the volume wait for something outside of the engine, or they stopped waiting. Each
   * call replaces the report of the earlier one; after the opening, requests do not wait.
   *
   * @param wait what they wait for, empty while they pass; not null
   * @since 2.2
   */
  default void waiting(Optional<RequestWait> wait) {}

  /**
   * Cause for which requests of an open volume wait. They do not fail, and continue when it ends.
   *
   * @param reason one word in upper camel case, for programs; not empty
   * @param message for a person: what is waited for, since when and until when as far as it is
   *     known, and the remedy; not empty
   * @since 2.2
   */
  record RequestWait(String reason, String message) {
    /** Checks that both are there. */
    public RequestWait {
      Objects.requireNonNull(reason, "reason");
      Objects.requireNonNull(message, "message");
      if (reason.isEmpty() || message.isEmpty()) {
        throw new IllegalArgumentException(
            "reason \"" + reason + "\", message \"" + message + "\"");
      }
    }
  }
}

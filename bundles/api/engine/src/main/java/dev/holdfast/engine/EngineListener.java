package dev.holdfast.engine;

import dev.holdfast.error.StorageException;
import java.util.Objects;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Receives the events of an open volume from its engine. Calls are made on any thread and must
 * return quickly.
 */
@ProviderType
public interface EngineListener {

  /**
   * Reports a change of a replica's mode. The engine has recorded the change durably before this
   * call.
   *
   * @param replica name of the replica, not null
   * @param mode its new mode, not null
   * @param reason for users, not null
   */
  void replicaChanged(String replica, MemberMode mode, String reason);

  /**
   * Reports that the volume can no longer serve requests, because it has lost all replicas or
   * another engine took over.
   *
   * @param cause cause of the failure, not null
   */
  void failed(StorageException cause);

  /**
   * Reports that a native export changed by itself: its endpoints changed, its process was
   * restarted, or it ended. The platform then requests the export again.
   *
   * @since 2.1
   */
  default void exportChanged() {}

  /**
   * Reports that another party removed a replica from this opening. The volume continues without
   * it.
   *
   * @param replica name of the replica, not null
   * @param reason for users, not null
   * @since 2.1
   */
  default void replicaDropped(String replica, String reason) {}

  /**
   * Reports that requests of the volume wait for a condition outside of the engine, or no longer
   * wait. Each call replaces the earlier report. A new opening starts without waiting requests.
   *
   * @param wait the condition, empty if requests do not wait; not null
   * @since 2.2
   */
  default void waiting(Optional<RequestWait> wait) {}

  /**
   * Condition for which requests of an open volume wait. The requests do not fail, and continue
   * when the condition ends.
   *
   * @param reason one word in upper camel case, for programs; not empty
   * @param message for users: the condition, its known start and end, and the remedy; not empty
   * @since 2.2
   */
  record RequestWait(String reason, String message) {
    /** Rejects a missing reason or message. */
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

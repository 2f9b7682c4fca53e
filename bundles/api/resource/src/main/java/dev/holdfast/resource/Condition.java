package dev.holdfast.resource;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One observed aspect of a resource, as in Kubernetes' {@code metav1.Condition}.
 *
 * @param type name of the condition in CamelCase
 * @param status whether the condition holds
 * @param reason cause for programs, in CamelCase
 * @param message text for users
 * @param lastTransitionTime time at which the status last changed, to the second
 */
public record Condition(
    String type, Status status, String reason, String message, Instant lastTransitionTime) {
  /** Type of the condition that reports whether a node, disk, replica or engine is usable. */
  public static final String READY = "Ready";

  /** Type of the condition that reports what delays the deletion of a resource. */
  public static final String DELETING = "Deleting";

  /** Reason of a failure that is not retried. */
  public static final String FAILED_REASON = "Failed";

  /** Status of a condition. */
  public enum Status {
    /** The condition holds. */
    TRUE("True"),
    /** The condition does not hold. */
    FALSE("False"),
    /** The status of the condition is unknown. */
    UNKNOWN("Unknown");

    private final String wireName;

    Status(String wireName) {
      this.wireName = wireName;
    }

    /** Returns the name in the API, which is also what JSON holds. */
    @Override
    public String toString() {
      return wireName;
    }
  }

  /** Replaces null components by empty values. */
  public Condition {
    type = Defaults.text(type);
    status = Defaults.or(status, Status.UNKNOWN);
    reason = Defaults.text(reason);
    message = Defaults.text(message);
    lastTransitionTime = Defaults.or(lastTransitionTime, Instant.EPOCH);
  }

  /** Returns the condition of a type, empty if it is absent. */
  public static Optional<Condition> find(List<Condition> conditions, String type) {
    return conditions.stream().filter(c -> c.type().equals(type)).findFirst();
  }

  /** Returns whether the condition of a type is present and holds. */
  public static boolean isTrue(List<Condition> conditions, String type) {
    return find(conditions, type).filter(c -> c.status() == Status.TRUE).isPresent();
  }

  /**
   * Returns the conditions with one of them set. The transition time changes only when the status
   * changes.
   *
   * @param conditions so far, not null
   * @param type of the condition to set
   * @param status whether the condition holds
   * @param reason cause for programs
   * @param message text for users
   * @param now the time of a transition
   */
  public static List<Condition> with(
      List<Condition> conditions,
      String type,
      Status status,
      String reason,
      String message,
      Instant now) {
    List<Condition> result = new ArrayList<>(conditions);
    Instant since =
        find(conditions, type)
            .filter(c -> c.status() == status)
            .map(Condition::lastTransitionTime)
            .orElse(now.truncatedTo(java.time.temporal.ChronoUnit.SECONDS));
    Condition next = new Condition(type, status, reason, message, since);
    result.replaceAll(c -> c.type().equals(type) ? next : c);
    if (result.stream().noneMatch(c -> Objects.equals(c.type(), type))) {
      result.add(next);
    }
    return List.copyOf(result);
  }
}

package dev.holdfast.resource.cluster;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectReference;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * An event, with the fields of Kubernetes' events.k8s.io.
 *
 * @param regarding the resource
 * @param type Normal or Warning
 * @param reason cause, in one CamelCase word
 * @param message text for users
 * @param reportingController the component that reports the event
 * @param count number of occurrences
 * @param firstTimestamp time of the first occurrence
 * @param lastTimestamp time of the last occurrence
 */
@RecordBuilder
public record EventSpec(
    ObjectReference regarding,
    String type,
    String reason,
    String message,
    String reportingController,
    int count,
    Optional<Instant> firstTimestamp,
    Optional<Instant> lastTimestamp)
    implements EventSpecBuilder.With {
  /** Nothing set. */
  public static final EventSpec EMPTY =
      new EventSpec(null, null, null, null, null, 0, Optional.empty(), Optional.empty());

  /** Replaces null components by their defaults and copies the collections. */
  public EventSpec {
    regarding = Defaults.or(regarding, ObjectReference.EMPTY);
    type = Defaults.or(type, "Normal");
    reason = Defaults.text(reason);
    message = Defaults.text(message);
    reportingController = Defaults.text(reportingController);
    firstTimestamp = Defaults.optional(firstTimestamp);
    lastTimestamp = Defaults.optional(lastTimestamp);
  }

  List<FieldError> validate() {
    return new Checks().required(reason, "spec.reason").errors();
  }
}

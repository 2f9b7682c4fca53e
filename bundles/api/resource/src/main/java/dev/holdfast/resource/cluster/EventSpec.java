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
 * Something that happened, in the terms of Kubernetes' events.k8s.io.
 *
 * @param regarding to whom
 * @param type Normal or Warning
 * @param reason in one CamelCase word
 * @param message for people
 * @param reportingController who says so
 * @param count how often it was seen
 * @param firstTimestamp when it was seen first
 * @param lastTimestamp when it was seen last
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

  /** Replaces what is null by its default and copies the collections. */
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

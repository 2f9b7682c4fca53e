package dev.holdfast.resource.cluster;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * An event of a resource, for users.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record Event(ObjectMeta metadata, EventSpec spec, EventStatus status)
    implements Resource<Event> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<Event> KIND =
      new ResourceKind<>(
          "Event",
          "events",
          List.of("hfev"),
          Event.class,
          "An event of a resource, for users.",
          List.of(
              ResourceKind.Column.of("Type", "string", ".spec.type", "Normal or Warning."),
              ResourceKind.Column.of("Reason", "string", ".spec.reason", "Cause, in one word."),
              ResourceKind.Column.of("Object", "string", ".spec.regarding.name", "The resource."),
              ResourceKind.Column.of("Message", "string", ".spec.message", "Text for users.")));

  /** Replaces null components by empty values. */
  public Event {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, EventSpec.EMPTY);
    status = Defaults.or(status, EventStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static Event of(String name, EventSpec spec) {
    return new Event(ObjectMeta.named(name), spec, EventStatus.EMPTY);
  }

  @Override
  public ResourceKind<Event> resourceKind() {
    return KIND;
  }

  @Override
  public Event withMetadata(ObjectMeta newMetadata) {
    return new Event(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public Event withSpec(EventSpec newSpec) {
    return new Event(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public Event withStatus(EventStatus newStatus) {
    return new Event(metadata, spec, newStatus);
  }

  @Override
  public Event withSpecOf(Event other) {
    return withSpec(other.spec());
  }

  @Override
  public Event withStatusOf(Event other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate();
  }
}

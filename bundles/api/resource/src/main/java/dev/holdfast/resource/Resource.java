package dev.holdfast.resource;

import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * One object of the API: metadata, what is wanted (spec) and what is observed (status). Immutable.
 *
 * @param <R> the resource's own type
 */
@ProviderType
public interface Resource<R extends Resource<R>> {

  /** Returns the kind, never null. */
  ResourceKind<R> resourceKind();

  /** Returns the metadata, never null. */
  ObjectMeta metadata();

  /** Returns what is wanted, never null. */
  Object spec();

  /** Returns what is observed, never null. */
  Object status();

  /** Returns this resource with other metadata. */
  R withMetadata(ObjectMeta metadata);

  /** Returns this resource with another one's spec. */
  R withSpecOf(R other);

  /** Returns this resource with another one's status. */
  R withStatusOf(R other);

  /**
   * Checks the spec's fields and the rules across them.
   *
   * @return one error for each violation, naming the field's path; empty when valid, never null
   */
  List<FieldError> validate();

  /**
   * Checks that a change of the spec from an earlier version is allowed.
   *
   * @param earlier what is stored now, not null
   * @return one error for each violation; empty when allowed, never null
   */
  default List<FieldError> validateChange(R earlier) {
    return List.of();
  }

  /**
   * Adds the values that the system assigns, such as numbers of tickets. Every store calls this
   * method before it checks and keeps a spec that a client wrote.
   *
   * @param earlier what is stored now, empty when this is created
   * @return this resource, completed, never null
   */
  default R completed(Optional<R> earlier) {
    return resourceKind().type().cast(this);
  }

  /** Returns the name, never null. */
  default String name() {
    return metadata().name();
  }

  /** Returns whether deletion was requested and waits for finalizers. */
  default boolean isBeingDeleted() {
    return metadata().deletionTimestamp().isPresent();
  }
}

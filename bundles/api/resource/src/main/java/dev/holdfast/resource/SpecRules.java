package dev.holdfast.resource;

import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The rules of a kind for the specs that clients write. Every store applies them before it stores a
 * spec: it completes the resource, validates the result, and validates the change.
 *
 * @param <R> the resource's own type
 * @since 2.0
 */
@ProviderType
public interface SpecRules<R extends Resource<R>> {

  /**
   * Adds the values that the system assigns, such as numbers of tickets.
   *
   * @param earlier the stored version, empty when the resource is created; not null
   * @return the completed resource, never null
   */
  R completed(Optional<R> earlier);

  /**
   * Checks the spec's fields and the rules across them.
   *
   * @return one error for each violation, with the field's path; empty if valid, never null
   */
  List<FieldError> validate();

  /**
   * Checks that a change of the spec from an earlier version is allowed.
   *
   * @param earlier the stored version, not null
   * @return one error for each violation; empty if allowed, never null
   */
  default List<FieldError> validateChange(R earlier) {
    return List.of();
  }
}

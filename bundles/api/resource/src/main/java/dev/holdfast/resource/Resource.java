package dev.holdfast.resource;

import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * An object of the API: metadata, wanted state (spec) and observed state (status). Immutable.
 *
 * @param <R> the resource's own type
 */
@ProviderType
public interface Resource<R extends Resource<R>> extends SpecRules<R> {

  /** Returns the kind, never null. */
  ResourceKind<R> resourceKind();

  /** Returns the metadata, never null. */
  ObjectMeta metadata();

  /** Returns the wanted state, never null. */
  Object spec();

  /** Returns the observed state, never null. */
  Object status();

  /** Returns this resource with other metadata. */
  R withMetadata(ObjectMeta metadata);

  /** Returns this resource with another one's spec. */
  R withSpecOf(R other);

  /** Returns this resource with another one's status. */
  R withStatusOf(R other);

  @Override
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

package dev.holdfast.controller;

import dev.holdfast.resource.Resource;
import org.osgi.annotation.versioning.ProviderType;

/** Reports events of a resource to users. Never fails and blocks only briefly. */
@ProviderType
public interface EventRecorder {

  /**
   * Reports an expected event.
   *
   * @param about the resource, not null
   * @param reason one CamelCase word, not null
   * @param message for users, not null
   */
  void normal(Resource<?> about, String reason, String message);

  /**
   * Reports an event that may need a user's attention.
   *
   * @param about the resource, not null
   * @param reason one CamelCase word, not null
   * @param message for users, not null
   */
  void warning(Resource<?> about, String reason, String message);
}

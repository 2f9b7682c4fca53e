package dev.holdfast.controller;

import dev.holdfast.resource.Resource;
import org.osgi.annotation.versioning.ProviderType;

/** Reports to users what happened to a resource. Never fails and never blocks for long. */
@ProviderType
public interface EventRecorder {

  /**
   * Something expected happened.
   *
   * @param about the resource, not null
   * @param reason one CamelCase word, not null
   * @param message for people, not null
   */
  void normal(Resource<?> about, String reason, String message);

  /**
   * Something happened that a person may have to look at.
   *
   * @param about the resource, not null
   * @param reason one CamelCase word, not null
   * @param message for people, not null
   */
  void warning(Resource<?> about, String reason, String message);
}

package dev.holdfast.frontend.nvmeof.internal.controller;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.SessionState;
import java.util.Map;

/**
 * State that an admin queue leaves for the one that resumes it.
 *
 * @param properties registers
 * @param features that were set
 * @param events requests and the events to report
 * @param keepAliveMillis 0 for never
 * @param seen the namespace's size or the discovery's generation as last reported; -1 before
 * @param namespaceChanged whether the host has not read yet that the namespace changed
 */
public record ControllerState(
    Properties properties,
    Features features,
    Events events,
    long keepAliveMillis,
    long seen,
    boolean namespaceChanged) {
  private static final String PROPERTIES = "properties";
  private static final String FEATURES = "features";
  private static final String EVENTS = "events";
  private static final String KEEP_ALIVE = "keep-alive";
  private static final String SEEN = "seen";
  private static final String CHANGED = "namespace-changed";

  public void put(Map<String, String> fields) {
    fields.put(PROPERTIES, properties.text());
    fields.put(FEATURES, features.text());
    fields.put(EVENTS, events.text());
    fields.put(KEEP_ALIVE, String.valueOf(keepAliveMillis));
    fields.put(SEEN, String.valueOf(seen));
    fields.put(CHANGED, String.valueOf(namespaceChanged));
  }

  public static ControllerState of(SessionState state) throws StorageException {
    try {
      return new ControllerState(
          Properties.resume(state.text(PROPERTIES).orElse("")),
          Features.resume(state.text(FEATURES).orElse("")),
          Events.resume(state.text(EVENTS).orElse("")),
          state.number(KEEP_ALIVE, 0),
          state.number(SEEN, -1),
          state.flag(CHANGED));
    } catch (RuntimeException e) {
      throw new StorageException(
          ErrorCode.INVALID, "the state of an admin queue cannot be read: " + e.getMessage(), e);
    }
  }
}

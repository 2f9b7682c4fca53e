package dev.holdfast.frontend.nvmeof.internal.controller;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.SessionState;
import java.util.Map;

/**
 * State that an admin queue leaves for the queue that resumes it.
 *
 * @param properties property registers
 * @param features features that were set
 * @param events requests for events and events to report
 * @param keepAliveMillis keep-alive time-out in milliseconds, 0 for none
 * @param seen last reported size of the namespace, or generation of the discovery log; -1 before
 * @param namespaceChanged whether the host has yet to read that the namespace changed
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

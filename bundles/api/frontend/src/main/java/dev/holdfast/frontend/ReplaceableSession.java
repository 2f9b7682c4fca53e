package dev.holdfast.frontend;

import org.osgi.annotation.versioning.ConsumerType;

/** A session that can be parked, so that another one resumes its state. */
@ConsumerType
public interface ReplaceableSession extends FrontendSession {

  /**
   * Returns the state that the next session needs to resume. Called once, on any thread, after
   * {@link #stop} reported that the requests of this session at devices have completed. The state
   * includes all effects of the session. Partly received messages are not consumed and not part of
   * the state.
   *
   * @return the state, never null
   */
  SessionState state();
}

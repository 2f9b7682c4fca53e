package dev.holdfast.frontend;

import org.osgi.annotation.versioning.ConsumerType;

/** A session that can be parked: another one resumes its state. */
@ConsumerType
public interface ReplaceableSession extends FrontendSession {

  /**
   * Returns the state that the next session needs to resume. Called once, on any thread, after
   * {@link #stop} reported that no request of this session is at a device. The state includes
   * everything that the session did before. Messages that were received in part are not consumed
   * and not part of it.
   *
   * @return the state, never null
   */
  SessionState state();
}

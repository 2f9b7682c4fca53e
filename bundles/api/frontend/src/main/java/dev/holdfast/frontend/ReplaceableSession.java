package dev.holdfast.frontend;

import org.osgi.annotation.versioning.ConsumerType;

/** A session that can be parked: another one resumes its state. */
@ConsumerType
public interface ReplaceableSession extends FrontendSession {

  /**
   * Returns the state that the next session needs to resume. Called once, on any thread, after
   * {@link #stop} has said that nothing of this session is at a device any more; everything that it
   * did before that is seen there. Messages that were received in part are not consumed and do not
   * belong to it.
   *
   * @return the state, never null
   */
  SessionState state();
}

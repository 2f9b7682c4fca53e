package dev.holdfast.frontend;

import org.osgi.annotation.versioning.ConsumerType;

/** A session that can be parked: another one goes on from its state. */
@ConsumerType
public interface ReplaceableSession extends FrontendSession {

  /**
   * Returns what the next session needs to go on. Called once, on any thread, after {@link #stop}
   * has said that nothing of this session is at a device any more; everything that it did before
   * that is seen there. Messages that were received in part are not consumed and are no part of it.
   *
   * @return the state, never null
   */
  SessionState state();
}

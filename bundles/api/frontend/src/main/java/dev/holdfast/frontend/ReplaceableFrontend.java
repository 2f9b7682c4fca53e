package dev.holdfast.frontend;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A frontend whose sessions survive the replacement of its bundle. Register it as a {@link
 * FrontendProvider}; the implementation of this type declares the capability. The sessions of other
 * frontends are closed when their bundle stops.
 *
 * <p>The portal moves a session from one version of the bundle to another and keeps the connection:
 *
 * <pre>
 *   old session: stop(stopped) ... nothing at a device ... state()
 *   new frontend: resume(connection, state) -> session     and received() goes on there
 * </pre>
 *
 * <p>When {@link #resume} fails, does not return in time or returns null, the old frontend resumes
 * the session from the same state. Therefore {@code resume} must have no effects except the
 * creation of the session.
 */
@ConsumerType
public interface ReplaceableFrontend extends FrontendProvider {

  /**
   * Resumes a session that was parked. Called on a thread of the portal, without concurrent events
   * of the connection. The method may read the connection's peer, exports, device and TLS state,
   * but must not reply, attach, start TLS or close.
   *
   * @param connection the connection to the client, not null; used by the session only
   * @param state state of the last session, not null
   * @return the session, never null; if it is not replaceable, it is the connection's last session
   * @throws StorageException UNSUPPORTED when the version of the state is unknown, or any other
   *     reason to reject the session
   */
  FrontendSession resume(FrontendConnection connection, SessionState state) throws StorageException;
}

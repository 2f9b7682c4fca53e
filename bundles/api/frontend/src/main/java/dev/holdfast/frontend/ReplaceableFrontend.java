package dev.holdfast.frontend;

import dev.holdfast.error.StorageException;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * A frontend whose sessions survive the replacement of its bundle. It is registered as a {@link
 * FrontendProvider}; that it implements this type is the capability. The sessions of other
 * frontends are closed when their bundle goes.
 *
 * <p>The portal moves a session from one version of the bundle to another on the connection that
 * stands:
 *
 * <pre>
 *   old session: stop(stopped) ... nothing at a device ... state()
 *   new frontend: resume(connection, state) -> session     and received() goes on there
 * </pre>
 *
 * <p>When {@link #resume} fails, does not return in time or returns null, the old frontend resumes
 * the session from the same state. So {@code resume} has no effect but to build the session.
 */
@ConsumerType
public interface ReplaceableFrontend extends FrontendProvider {

  /**
   * Resumes a session that was parked. Called on a thread of the portal's, while nothing else
   * happens to the connection; it may ask the connection for its peer, exports, device and TLS, but
   * not reply, attach, start TLS or close before it has returned.
   *
   * @param connection the way to the client, not null; the session is its only user
   * @param state as the last session left it, not null
   * @return the session, never null; itself replaceable, or it is the connection's last
   * @throws StorageException UNSUPPORTED when the state is of a version that cannot be read, or any
   *     other reason not to take the session
   */
  FrontendSession resume(FrontendConnection connection, SessionState state) throws StorageException;
}

package dev.holdfast.frontend;

import java.nio.ByteBuffer;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The protocol's state for one connection. It parses the client's input, sends requests to the
 * device, and answers through {@link FrontendConnection#reply}. It must not use sockets, start
 * threads or keep a {@code ThreadLocal}, so that its bundle can be replaced during the connection.
 * A {@link ReplaceableSession} passes the connection to the next session.
 *
 * <p>The portal calls {@link #received} on the connection's thread and {@link #stop} on that or
 * another thread, one at a time. Devices may complete concurrently on other threads.
 */
@ConsumerType
public interface FrontendSession {

  /**
   * Processes input: consumes all complete messages between position and limit by moving the
   * position. The next call receives the remaining bytes again, followed by more bytes.
   *
   * <p>The session may use the content until this method returns. If a device needs a part longer
   * (for a write that completes later), the session calls {@link FrontendConnection#retainInput}
   * before it returns.
   *
   * @param input direct, not null; content must not be changed
   * @return number of bytes from the new position that the next message needs before this method
   *     can make progress; 0 if unknown. The portal provides an input buffer of that size, up to
   *     {@link FrontendConnection#MAXIMUM_INPUT}
   */
  int received(ByteBuffer input);

  /**
   * Ends or parks the session: {@link #received} is not called again. Requests at the device
   * complete, and their replies may still be sent.
   *
   * @param stopped run once after the last request of this session at a device has completed,
   *     before this method returns or on the thread of that completion; not null
   */
  void stop(Runnable stopped);
}

package dev.holdfast.frontend;

import java.nio.ByteBuffer;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The protocol's state for one connection. It parses what the client sent, asks the device, and
 * answers through {@link FrontendConnection#reply}. It never touches a socket, starts no thread and
 * keeps no {@code ThreadLocal}, so that its bundle can be replaced while the connection lives; one
 * that is also a {@link ReplaceableSession} leaves the connection to the next session.
 *
 * <p>The portal calls {@link #received} on the connection's thread and {@link #stop} on that or
 * another, one at a time. Devices may complete on other threads at the same moment.
 */
@ConsumerType
public interface FrontendSession {

  /**
   * Takes input: consumes every complete message between position and limit, by moving the
   * position. What is left over is seen again, in front of more bytes, at the next call.
   *
   * <p>The content belongs to the session until this method returns. Where a device keeps a part of
   * it longer (a write that completes later), the session calls {@link
   * FrontendConnection#retainInput} before it returns.
   *
   * @param input direct, not null; content must not be changed
   * @return how many bytes, counted from the position that is left, the next message needs before
   *     this method can make progress; 0 when not known. The portal makes the input buffer large
   *     enough for it, up to {@link FrontendConnection#MAXIMUM_INPUT}
   */
  int received(ByteBuffer input);

  /**
   * Ends or parks the session: {@link #received} is not called again. Requests at the device run to
   * their end, and their replies may still be sent.
   *
   * @param stopped run once as soon as no request of this session is at a device: before this
   *     method returns, or on the thread of the last completion; not null
   */
  void stop(Runnable stopped);
}

package dev.holdfast.frontend;

import java.nio.ByteBuffer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A pooled output buffer. Its taker owns it until it calls {@link #send} or {@link #discard}, once
 * and from any thread.
 */
@ProviderType
public interface Reply {

  /**
   * Returns the direct buffer to fill, the same object each time, never null. A device may read
   * directly into it.
   */
  ByteBuffer buffer();

  /**
   * Queues the bytes between 0 and the buffer's position. Replies are sent in the order of the
   * {@code send} calls. Never waits for the client.
   */
  void send();

  /** Returns the reply without sending it. */
  void discard();
}

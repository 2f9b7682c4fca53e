package dev.holdfast.frontend;

import java.nio.ByteBuffer;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A pooled piece of output. The caller that took it owns it until it calls {@link #send} or {@link
 * #discard}, which any thread may do, once.
 */
@ProviderType
public interface Reply {

  /**
   * Returns the direct buffer to fill, the same object each time, never null. A device may read
   * straight into it.
   */
  ByteBuffer buffer();

  /**
   * Queues the bytes between 0 and the buffer's position. Replies go out in the order of their
   * {@code send}. Never waits for the client.
   */
  void send();

  /** Gives the reply back without sending it. */
  void discard();
}

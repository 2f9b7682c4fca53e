package dev.holdfast.portal.internal.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.UnreturnedMemory;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.InputLease;
import dev.holdfast.portal.internal.transport.BufferPool;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Input of a write that was answered while a hanging disk still uses its bytes. */
class UnreturnedInputTest {
  private static final int PAYLOAD = 4096;
  private static final long CONTENT = 0x1122334455667788L;
  private static final long NEXT = 0x0101010101010101L;

  private final BufferPool pool = new BufferPool(64 << 20, 0);
  private final Inbox inbox = new Inbox(pool);
  private ByteBuffer written;

  /** Consumes all input, and passes it to the device. */
  private final FrontendSession session =
      new FrontendSession() {
        @Override
        public int received(ByteBuffer input) {
          written = input.slice();
          input.position(input.limit());
          return 0;
        }

        @Override
        public void stop(Runnable stopped) {
          stopped.run();
        }
      };

  private void receive(long content) throws Exception {
    ByteBuffer target = inbox.target();
    for (int i = 0; i < PAYLOAD / Long.BYTES; i++) {
      target.putLong(content);
    }
    assertThat(inbox.enough()).isTrue();
    inbox.offer(session);
  }

  @Test
  void nextInputIsReadIntoOtherMemoryUntilTheDiskReturnsIt() throws Exception {
    receive(CONTENT);
    ByteBuffer hung = written;
    InputLease lease = inbox.retain();
    UnreturnedMemory.Hold hold = UnreturnedMemory.hold(hung, 0, PAYLOAD);
    lease.release();
    receive(NEXT);
    assertThat(hung.getLong(0)).isEqualTo(CONTENT);
    inbox.close();
    Inbox another = new Inbox(pool);
    another.target().putLong(NEXT);
    assertThat(hung.getLong(0)).isEqualTo(CONTENT);
    hold.close();
    another.close();
  }

  @Test
  void memoryOfAnAnsweredWriteIsUsedAgainOtherwise() throws Exception {
    receive(CONTENT);
    ByteBuffer done = written;
    inbox.retain().release();
    receive(NEXT);
    assertThat(done.getLong(0)).isEqualTo(NEXT);
    inbox.close();
  }
}

package dev.holdfast.http.internal.exchange;

import io.netty.buffer.ByteBuf;

/** Takes the body of a request, on the event loop. */
interface RequestBodySink {
  /** Takes the next bytes, without becoming their owner. */
  void take(ByteBuf bytes);

  /** The body is complete. */
  void end();

  /** The rest of the body never comes. */
  void fail();

  /** Returns whether more bytes are to be read now. */
  boolean wantsMore();

  /** Drops the body. */
  RequestBodySink NOTHING =
      new RequestBodySink() {
        @Override
        public void take(ByteBuf bytes) {
          // Dropped.
        }

        @Override
        public void end() {
          // The owner of the request knows.
        }

        @Override
        public void fail() {
          // Nothing waits for it.
        }

        @Override
        public boolean wantsMore() {
          return true;
        }
      };
}

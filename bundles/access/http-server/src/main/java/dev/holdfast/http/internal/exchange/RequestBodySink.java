package dev.holdfast.http.internal.exchange;

import io.netty.buffer.ByteBuf;

/** Receives the body of a request on the event loop. */
interface RequestBodySink {
  /** Receives the next bytes without taking ownership. */
  void take(ByteBuf bytes);

  /** Reports that the body is complete. */
  void end();

  /** Reports that the rest of the body will never arrive. */
  void fail();

  /** Returns whether to read more bytes now. */
  boolean wantsMore();

  /** Discards the body. */
  RequestBodySink NOTHING =
      new RequestBodySink() {
        @Override
        public void take(ByteBuf bytes) {
          // Discarded.
        }

        @Override
        public void end() {
          // The owner of the request handles this.
        }

        @Override
        public void fail() {
          // The body has no reader.
        }

        @Override
        public boolean wantsMore() {
          return true;
        }
      };
}

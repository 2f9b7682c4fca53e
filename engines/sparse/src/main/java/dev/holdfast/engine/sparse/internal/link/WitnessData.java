package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.wire.LinkData;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** Data connection of a witness, which has no bytes and nothing to make durable. */
final class WitnessData implements LinkData {
  private volatile boolean closed;

  @Override
  public void read(
      long offset, ByteBuffer target, int position, int length, MemberCompletion done) {
    refuse(done);
  }

  @Override
  public void write(
      long offset, ByteBuffer source, int position, int length, MemberCompletion done) {
    refuse(done);
  }

  @Override
  public void zero(long offset, int length, boolean allocated, MemberCompletion done) {
    refuse(done);
  }

  private static void refuse(MemberCompletion done) {
    done.completed(new StorageException(ErrorCode.UNSUPPORTED, "a witness keeps no data"), 0);
  }

  @Override
  public void sync(MemberCompletion done) {
    done.completed(null, 0);
  }

  @Override
  public void endOfBatch() {
    // Requests are not collected.
  }

  @Override
  public boolean dead() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }
}

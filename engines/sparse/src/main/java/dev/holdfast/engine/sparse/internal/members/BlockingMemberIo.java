package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** Makes requests to a member and waits for each. For one thread, one request after the other. */
public final class BlockingMemberIo implements MemberCompletion {
  private boolean completed;
  private StorageException failure;

  static void read(Member member, long offset, ByteBuffer target) throws StorageException {
    BlockingMemberIo awaited = new BlockingMemberIo();
    int position = target.position();
    int length = target.remaining();
    member.read(offset, target, position, length, awaited);
    member.endOfBatch();
    awaited.get();
    target.position(position + length);
  }

  public static void write(Member member, long offset, ByteBuffer source) throws StorageException {
    BlockingMemberIo awaited = new BlockingMemberIo();
    int position = source.position();
    int length = source.remaining();
    member.write(offset, source, position, length, awaited);
    member.endOfBatch();
    awaited.get();
    source.position(position + length);
  }

  static void zero(Member member, long offset, long length, boolean allocated)
      throws StorageException {
    BlockingMemberIo awaited = new BlockingMemberIo();
    member.zero(offset, length, allocated, awaited);
    member.endOfBatch();
    awaited.get();
  }

  static void extents(Member member, long offset, long length, ExtentVisitor visitor)
      throws StorageException {
    BlockingMemberIo awaited = new BlockingMemberIo();
    member.extents(offset, length, visitor, awaited);
    member.endOfBatch();
    awaited.get();
  }

  public static void sync(Member member) throws StorageException {
    BlockingMemberIo awaited = new BlockingMemberIo();
    member.sync(awaited);
    member.endOfBatch();
    awaited.get();
  }

  @Override
  public synchronized void completed(StorageException cause, long done) {
    failure = cause;
    completed = true;
    notifyAll();
  }

  private synchronized void get() throws StorageException {
    Uninterruptibly.awaitWhile(this, () -> !completed);
    if (failure != null) {
      throw failure;
    }
  }
}

package dev.holdfast.engine.sparse.internal.wire;

import dev.holdfast.engine.sparse.internal.link.ReplicaLink;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import java.nio.ByteBuffer;

/** How a link reads and writes; see {@link ReplicaLink} for what requests and closing promise. */
public interface LinkData {

  /** As {@link Member#read}. */
  void read(long offset, ByteBuffer target, int position, int length, MemberCompletion done);

  /** As {@link Member#write}. */
  void write(long offset, ByteBuffer source, int position, int length, MemberCompletion done);

  /** As {@link Member#zero}, for what one request can carry. */
  void zero(long offset, int length, boolean allocated, MemberCompletion done);

  /** As {@link Member#sync}. */
  void sync(MemberCompletion done);

  /** As {@link Member#endOfBatch}. */
  void endOfBatch();

  /** Returns whether it was lost or closed. */
  boolean dead();

  /** As {@link ReplicaLink#close}. */
  void close();
}

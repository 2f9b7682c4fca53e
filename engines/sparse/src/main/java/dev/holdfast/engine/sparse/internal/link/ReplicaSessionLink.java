package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.FencedReplica;
import dev.holdfast.engine.sparse.internal.replica.LayerBytes;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Optional;
import java.util.SortedSet;

/**
 * One session with a replica on another node. Data requests complete in any order, each once, on a
 * thread of the transport; see {@link Member} for buffers. Requests are sent when {@link
 * #endOfBatch} is called, at the latest. Control calls block. They fail with FORBIDDEN when the
 * other node does not know the session, and UNREACHABLE when it does not answer. A link that was
 * lost or closed ignores data requests; their completions are not called.
 */
public interface ReplicaSessionLink {

  /** Returns the replica's answer to the fence of this session. */
  FencedReplica fenced();

  /** As {@link Member#read}. */
  void read(long offset, ByteBuffer target, int position, int length, MemberCompletion done);

  /** As {@link Member#write}. */
  void write(long offset, ByteBuffer source, int position, int length, MemberCompletion done);

  /** As {@link Member#zero}. */
  void zero(long offset, long length, boolean allocated, MemberCompletion done);

  /** As {@link Member#sync}. */
  void sync(MemberCompletion done);

  /** As {@link Member#extents}; visits after the whole reply was received. */
  void extents(long offset, long length, ExtentVisitor visitor, MemberCompletion done);

  /** As {@link Member#endOfBatch}. */
  void endOfBatch();

  /** As {@link Member#mark}. */
  void mark(BitSet regions) throws StorageException;

  /** As {@link Member#replaceMarks}. */
  void replaceMarks(BitSet marked) throws StorageException;

  /** As {@link Member#recordEpoch}. */
  void recordEpoch(Epoch epoch, SortedSet<String> absent, BitSet missed) throws StorageException;

  /** As {@link Member#seal}. */
  void seal() throws StorageException;

  /** As {@link Member#chain}. */
  ReplicaChain chain();

  /** As {@link Member#layer}. */
  LayerReply layer(LayerRequest request) throws StorageException;

  /**
   * Connects to the bytes of a layer; empty when the other node does not offer them, so that calls
   * must transfer them.
   */
  default Optional<LayerBytes> layerBytes(String image) throws StorageException {
    return Optional.empty();
  }

  /**
   * Ends the session. After the return, the link completes no request and accesses no buffer; its
   * listener is not called. Idempotent.
   */
  void close();
}

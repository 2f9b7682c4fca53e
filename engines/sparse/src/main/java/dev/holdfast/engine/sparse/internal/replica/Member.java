package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.SortedSet;

/**
 * A replica that admitted this engine, on this node or another.
 *
 * <p>Data requests are asynchronous: the completion comes before the call returns (a local replica)
 * or later on another thread. They address bytes of a buffer by position and length, so that one
 * buffer can be on its way to several members; a member must not rely on the buffer's own position.
 * Control calls block and are idempotent. All may be called from any thread; requests that overlap
 * and of which one writes are never given to a member together.
 */
public interface Member {

  /** Returns where it is. */
  ReplicaLocation location();

  /** Returns its name in the cluster. */
  default String name() {
    return location().replica();
  }

  /** Returns whether it votes only and holds no data. */
  default boolean witness() {
    return location().witness();
  }

  /** Returns its identity. */
  String id();

  /**
   * Returns the size of the volume that it holds, as it was when it was fenced; 0 for a witness.
   */
  long size();

  /** Returns the history that it reported when it was fenced. */
  ReplicaHistory history();

  /** Returns whether nothing that was written to it before it was fenced can be missing. */
  boolean intact();

  /** Returns whether it is half of a copy that was never finished. */
  boolean incomplete();

  /** Returns the base that its layers stand on, as a text that only this has; empty for none. */
  String base();

  /**
   * Returns whether it is on this node, so that its requests complete before their calls return.
   */
  boolean local();

  /** Returns whether it answers, as far as is known. */
  boolean works();

  /**
   * Returns whether there were snapshots or a base below its head when it was fenced; now, if it is
   * local.
   */
  boolean chained();

  /** Reads bytes into a part of the buffer. */
  void read(long offset, ByteBuffer target, int position, int length, MemberCompletion done);

  /** Writes bytes from a part of the buffer. */
  void write(long offset, ByteBuffer source, int position, int length, MemberCompletion done);

  /** Makes a range read as zeroes, exactly; allocated or, where it may be, as a hole. */
  void zero(long offset, long length, boolean allocated, MemberCompletion done);

  /** Makes everything that was completed durable. After a failure the member is not to be used. */
  void sync(MemberCompletion done);

  /** Reports how a range is stored; visits before it completes. */
  void extents(long offset, long length, ExtentVisitor visitor, MemberCompletion done);

  /**
   * Sends the requests: now, or with all other requests of the calling thread in the same run (see
   * {@link dev.holdfast.block.IoThread}).
   */
  void endOfBatch();

  /** Marks regions durably, and among what absent replicas miss, before writes into them. */
  void mark(BitSet regions) throws StorageException;

  /** Replaces all marks durably. */
  void replaceMarks(BitSet marked) throws StorageException;

  /**
   * Makes a new epoch durable, and before it what each absent replica misses: these regions beside
   * those already known.
   */
  void recordEpoch(Epoch epoch, SortedSet<String> absent, BitSet missed) throws StorageException;

  /** Remembers durably that it was closed in order; everything was synced on all members. */
  void seal() throws StorageException;

  /** Returns its layers. */
  ReplicaChain chain();

  /** Does one step in the copying of layers. Blocks; can be repeated. */
  LayerReply layer(LayerRequest request) throws StorageException;

  /** Returns the bytes of a layer that is there or was begun. */
  default LayerBytes layerBytes(String image) {
    return new CalledLayerBytes(this::layer, image);
  }

  /** Gives it up; no other call follows or is running. Idempotent. */
  void close();
}

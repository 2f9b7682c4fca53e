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
 * <p>Data requests are asynchronous: the completion is called before the call returns (local
 * replica) or later on another thread. They address bytes of a buffer by position and length, so
 * that several members can use one buffer concurrently; a member must not rely on the buffer's own
 * position. Control calls block and are idempotent. All methods may be called from any thread. The
 * caller never has overlapping requests in flight if one of them writes.
 */
public interface Member {

  /** Returns the place of the replica. */
  ReplicaLocation location();

  /** Returns the name of the replica in the cluster. */
  default String name() {
    return location().replica();
  }

  /** Returns whether the replica is a witness, which votes and holds no data. */
  default boolean witness() {
    return location().witness();
  }

  /** Returns the identity of the replica. */
  String id();

  /** Returns the size in bytes of its volume at the time of the fence; 0 for a witness. */
  long size();

  /** Returns the history that it reported when it was fenced. */
  ReplicaHistory history();

  /** Returns whether all data that was written to it before the fence is certainly present. */
  boolean intact();

  /** Returns whether it is the result of an unfinished copy. */
  boolean incomplete();

  /** Returns the base below its layers, as a text that identifies the base; empty for none. */
  String base();

  /**
   * Returns whether it is on this node, so that its requests complete before their calls return.
   */
  boolean local();

  /** Returns whether it answers, as far as this engine knows. */
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

  /** Makes exactly this range read as zeroes, allocated or, where permitted, as a hole. */
  void zero(long offset, long length, boolean allocated, MemberCompletion done);

  /** Makes all completed requests durable. After a failure the member must not be used. */
  void sync(MemberCompletion done);

  /** Reports how a range is stored. Calls the visitor before the completion. */
  void extents(long offset, long length, ExtentVisitor visitor, MemberCompletion done);

  /**
   * Sends the collected requests: immediately, or with all other requests of the calling thread in
   * the same run (see {@link dev.holdfast.block.IoThread}).
   */
  void endOfBatch();

  /**
   * Marks regions durably, and adds them to the regions that absent replicas miss. Called before
   * writes into them.
   */
  void mark(BitSet regions) throws StorageException;

  /** Replaces all marks durably. */
  void replaceMarks(BitSet marked) throws StorageException;

  /**
   * Makes a new epoch durable. First makes durable which regions each absent replica misses: these
   * in addition to the known ones.
   */
  void recordEpoch(Epoch epoch, SortedSet<String> absent, BitSet missed) throws StorageException;

  /** Records a clean close durably. The caller has synced everything on all members. */
  void seal() throws StorageException;

  /** Returns its layers. */
  ReplicaChain chain();

  /** Performs one step of a layer copy. Blocks; can be repeated. */
  LayerReply layer(LayerRequest request) throws StorageException;

  /** Returns access to the bytes of a layer that exists or whose copy was started. */
  default LayerBytes layerBytes(String image) {
    return new CalledLayerBytes(this::layer, image);
  }

  /** Closes the member. No other call runs or follows. Idempotent. */
  void close();
}

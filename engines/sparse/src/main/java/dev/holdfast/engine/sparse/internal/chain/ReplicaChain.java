package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/** The layers of one replica: what is done to their structure, and reading below the head. */
public interface ReplicaChain {

  /**
   * Performs a structural operation durably; after a crash it is done or not done. Has no effect
   * when an operation of this id was done already. Called while no request to the head is in
   * flight.
   *
   * @throws StorageException NOT_FOUND, NO_SPACE, INVALID, IO; the replica is unchanged then
   */
  void perform(ChainOperation operation) throws StorageException;

  /** Lists the snapshots, parents before children, removed ones included. */
  List<SnapshotInfo> snapshots() throws StorageException;

  /**
   * Coalesces one removed snapshot, while requests to the head continue. Blocks.
   *
   * @param locked snapshots whose layers must stay as they are
   * @return false when no removed snapshot can be coalesced
   */
  boolean coalesce(Set<String> locked) throws StorageException;

  /** Reads the content that the volume had at a snapshot; fills the buffer. Blocks. */
  void read(String snapshot, long offset, ByteBuffer target) throws StorageException;

  /**
   * Reports where two contents may differ, as {@link dev.holdfast.engine.SnapshotVolume#changes}.
   */
  void changes(String older, String newer, ExtentVisitor visitor) throws StorageException;
}

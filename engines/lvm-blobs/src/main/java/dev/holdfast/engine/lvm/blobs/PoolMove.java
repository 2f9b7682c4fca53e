package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/** A move of a pool to a node, while it is in use. Used by one thread. */
final class PoolMove {
  private final SharedGroup group;
  private final PoolDriver driver;
  private final PoolPeers peers;
  private final String node;
  private final String id;

  PoolMove(SharedGroup group, PoolDriver driver, PoolPeers peers, String node, String id) {
    this.group = group;
    this.driver = driver;
    this.peers = peers;
    this.node = node;
    this.id = id;
  }

  private Optional<PoolRecords.Version> read() throws StorageException {
    return group.records().read(id).filter(version -> version.pool().isThin());
  }

  private static boolean isWanted(PoolRecords.Version version, String on) {
    PoolPlace place = version.pool().place();
    return place.phase() == PoolPlace.Phase.HOLDING && place.wantedOn().equals(on);
  }

  /**
   * Moves it.
   *
   * @throws StorageException as {@link SharedBlobManager#optimize}
   */
  void to(String on) throws StorageException {
    Optional<PoolRecords.Version> present = read();
    if (present.isEmpty() || present.get().pool().place().phase() == PoolPlace.Phase.IDLE) {
      return;
    }
    if (!on.equals(node) && !peers.isReachable(on)) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "pool " + group.name() + "/" + id + " cannot move to node " + on + ": no answer");
    }
    if (present.get().pool().place().phase() != PoolPlace.Phase.SERVING) {
      driver.untilSettled(); // an earlier move first
      present = read();
    }
    if (present.isEmpty() || present.get().pool().place().activeOn().equals(on)) {
      return;
    }
    PoolRecord pool = present.get().pool();
    PoolRecords.Version unused =
        group.records().replace(present.get(), pool.at(pool.place().holding(on)));
    try {
      driver.untilSettled();
    } catch (StorageException e) {
      returnPool(on, e);
      throw e;
    }
    requireMoved(on);
  }

  private void requireMoved(String on) throws StorageException {
    Optional<PoolRecords.Version> moved = read();
    if (moved.isPresent() && !moved.get().pool().place().activeOn().equals(on)) {
      throw new StorageException(
          ErrorCode.BUSY,
          "pool " + group.name() + "/" + id + " did not move to node " + on + ": try again");
    }
  }

  /** Requests must not wait longer because a move has failed. */
  private void returnPool(String on, StorageException cause) {
    try {
      Optional<PoolRecords.Version> present = read().filter(version -> isWanted(version, on));
      if (present.isPresent()) {
        PoolRecord pool = present.get().pool();
        PoolRecords.Version unused =
            group.records().replace(present.get(), pool.at(pool.place().returned()));
        driver.untilSettled();
      }
    } catch (StorageException e) {
      cause.addSuppressed(e);
    }
  }
}

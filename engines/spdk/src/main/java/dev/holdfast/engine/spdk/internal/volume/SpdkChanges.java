package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.spdk.internal.calls.AllocatedClusters;
import dev.holdfast.engine.spdk.internal.replica.ReplicaLeg;
import dev.holdfast.engine.spdk.internal.replica.SnapshotRecord;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds where contents of an open volume differ. Thread-safe. */
final class SpdkChanges {
  private static final Logger LOG = LoggerFactory.getLogger(SpdkChanges.class);

  private final SpdkLegs legs;
  private final SpdkDevice device;
  private final SpdkSnapshots snapshots;
  private final AllocatedClusters clusters;

  /**
   * Creates it for a volume.
   *
   * @param device its live content
   */
  SpdkChanges(
      SpdkLegs legs, SpdkDevice device, SpdkSnapshots snapshots, AllocatedClusters clusters) {
    this.legs = legs;
    this.device = device;
    this.snapshots = snapshots;
    this.clusters = clusters;
  }

  /**
   * Returns the snapshots above one content and up to another.
   *
   * @throws StorageException INVALID unless the older one is an ancestor of the newer
   */
  private List<SnapshotRecord> between(String older, String newer) throws StorageException {
    String end = older.isEmpty() ? "" : snapshots.require(older).lvol();
    String at =
        newer.equals(SnapshotInfo.HEAD)
            ? legs.record().headParent()
            : snapshots.require(newer).lvol();
    List<SnapshotRecord> found = new ArrayList<>();
    while (!at.isEmpty() && !at.equals(end)) {
      Optional<SnapshotRecord> one = legs.record().stored(at);
      one.ifPresent(found::add);
      at = one.map(SnapshotRecord::parent).orElse("");
    }
    if (!at.equals(end)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume " + legs.volume() + ": snapshot " + older + " is not an ancestor of " + newer);
    }
    return found;
  }

  /** The contents of a comparison; snapshots among them are closed with it. */
  private record Contents(Optional<BlockDevice> older, Optional<BlockDevice> newer) {
    void close() {
      older.ifPresent(BlockDevice::close);
      newer.ifPresent(BlockDevice::close);
    }
  }

  private Contents contents(String older, String newer) throws StorageException {
    Optional<BlockDevice> first =
        older.isEmpty() ? Optional.empty() : Optional.of(snapshots.open(older));
    try {
      return new Contents(
          first,
          newer.equals(SnapshotInfo.HEAD) ? Optional.empty() : Optional.of(snapshots.open(newer)));
    } catch (StorageException e) {
      first.ifPresent(BlockDevice::close);
      throw e;
    }
  }

  /**
   * Reports where contents differ, in blocks of 4096 bytes. Only the clusters of the snapshots
   * between them are read, where these are known. The volume's monitor is taken only to open and to
   * close them; until they are closed, all these snapshots stay.
   */
  void find(Object monitor, String older, String newer, ExtentVisitor visitor)
      throws StorageException {
    List<SnapshotRecord> chain;
    ReplicaLeg leg;
    Contents contents;
    synchronized (monitor) {
      chain = between(older, newer);
      leg = snapshots.readers().source();
      contents = contents(older, newer);
      snapshots.readers().keep(chain);
    }
    try {
      boolean known = contents.newer().isPresent() && !leg.isRemote();
      Optional<BitSet> listed =
          known
              ? listed(older.isEmpty() ? whole(leg, chain) : aliases(leg, chain))
              : Optional.empty();
      new ContentComparison(
              "volume " + legs.volume(),
              contents.older(),
              contents.newer().orElse(device),
              listed,
              visitor)
          .run();
    } finally {
      snapshots.readers().release(chain);
      contents.close();
    }
  }

  /** Finds the clusters, empty where SPDK does not copy them. */
  private Optional<BitSet> listed(List<String> chain) {
    BitSet found = new BitSet();
    try {
      for (String one : chain) {
        clusters.addTo(found, one);
      }
      return Optional.of(found);
    } catch (StorageException e) {
      LOG.info("volume {}: comparing the whole contents: {}", legs.volume(), e.getMessage());
      return Optional.empty();
    }
  }

  private static List<String> aliases(ReplicaLeg leg, List<SnapshotRecord> chain) {
    return chain.stream().map(one -> leg.place().alias(one.lvol())).toList();
  }

  /** Below the oldest snapshot of a clone is what it shares with its source. */
  private static List<String> whole(ReplicaLeg leg, List<SnapshotRecord> chain)
      throws StorageException {
    List<String> all = new ArrayList<>(aliases(leg, chain));
    if (!all.isEmpty() && !leg.record().owner().content().isEmpty()) {
      all.addAll(leg.lvols().ancestors(all.get(all.size() - 1)));
    }
    return all;
  }
}

package dev.holdfast.engine.sparse.internal.replica;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Regions that absent replicas miss, by identity, recorded durably in a present replica. Not
 * thread-safe.
 */
final class MissedRegions {
  private final ReplicaDirectory directory;
  private final Map<String, BitSet> missed;

  MissedRegions(ReplicaDirectory directory, Map<String, BitSet> known) {
    this.directory = directory;
    this.missed = new TreeMap<>(known);
  }

  /** Adds regions that all known absent replicas miss. */
  void add(BitSet regions) throws IOException {
    for (Map.Entry<String, BitSet> absent : missed.entrySet()) {
      BitSet more = union(absent.getValue(), regions);
      if (!more.equals(absent.getValue())) {
        store(absent.getKey(), more);
        absent.setValue(more);
      }
    }
  }

  /** Records members that became absent, with the regions that they miss beside the known ones. */
  void add(Collection<String> absent, BitSet regions) throws IOException {
    for (String id : absent) {
      BitSet all = union(missed.getOrDefault(id, new BitSet()), regions);
      store(id, all);
      missed.put(id, all);
    }
  }

  /** Records that an absent replica misses everything in a volume of this size. */
  void addAll(long size) throws IOException {
    for (Map.Entry<String, BitSet> absent : missed.entrySet()) {
      BitSet all = new BitSet();
      all.set(0, Regions.count(size));
      store(absent.getKey(), all);
      absent.setValue(all);
    }
  }

  LayerReply reply() {
    LayerReply.Builder reply = LayerReply.newBuilder();
    missed.forEach((id, regions) -> reply.putMissed(id, ReplicaMessages.regions(regions)));
    return reply.build();
  }

  LayerReply replace(Map<String, dev.holdfast.engine.sparse.rpc.Regions> next)
      throws IOException, StorageException {
    LayerReply done = forget(List.copyOf(missed.keySet()));
    for (Map.Entry<String, dev.holdfast.engine.sparse.rpc.Regions> absent : next.entrySet()) {
      BitSet regions = ReplicaMessages.regions(absent.getValue());
      store(absent.getKey(), regions);
      missed.put(absent.getKey(), regions);
    }
    return done;
  }

  LayerReply forget(List<String> ids) throws IOException {
    for (String id : ids) {
      if (missed.remove(id) != null) {
        directory.remove(StateFiles.MISSED_PREFIX + id);
      }
    }
    return LayerReply.getDefaultInstance();
  }

  private void store(String id, BitSet regions) throws IOException {
    StateFiles.store(directory, StateFiles.MISSED_PREFIX + id, regions.toLongArray());
  }

  private static BitSet union(BitSet one, BitSet other) {
    BitSet all = (BitSet) one.clone();
    all.or(other);
    return all;
  }
}

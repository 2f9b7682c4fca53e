package dev.holdfast.engine.sparse.internal.rebuild;

import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.volume.LayerAccess;
import dev.holdfast.engine.sparse.rpc.LayerEntry;
import dev.holdfast.error.StorageException;
import java.util.HashMap;
import java.util.Map;

/**
 * Ranges of a layer with data, by source; each source is read once. Sources have the same content
 * but may differ in these ranges: a start that makes replicas equal writes data into the head that
 * another replica has in a lower layer. Thread-safe.
 */
final class SourceRanges {
  private final LayerEntry layer;
  private final Map<Member, DataRanges> known = new HashMap<>();

  SourceRanges(LayerEntry layer) {
    this.layer = layer;
  }

  synchronized DataRanges of(LayerAccess source) throws StorageException {
    DataRanges ranges = known.get(source.member());
    if (ranges == null) {
      ranges = DataRanges.of(source, layer);
      known.put(source.member(), ranges);
    }
    return ranges;
  }
}

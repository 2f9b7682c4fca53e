package dev.holdfast.engine.sparse.internal.scrub;

import com.google.protobuf.ByteString;
import dev.holdfast.engine.DamagedRange;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.volume.LayerAccess;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;

/**
 * Determines the doubtful blocks of a part: those in which replicas differ, if any differ.
 *
 * @param part of the layer
 * @param doubt reason why the right content is unknown
 */
record ScrubDamage(ScrubRange part, String doubt) {
  private static final int MOST_RANGES = 100;

  List<DamagedRange> of(List<ScrubChecksums> readings, int region) throws StorageException {
    List<Member> readable =
        readings.stream()
            .filter(reading -> reading.sum(region).isPresent())
            .map(ScrubChecksums::member)
            .toList();
    List<DamagedRange> ranges = new ArrayList<>();
    for (Member other : readable.subList(Math.min(1, readable.size()), readable.size())) {
      Ranges differing = new Ranges(names(List.of(readable.get(0), other)), ranges);
      new ScrubDiff(part, new LayerAccess(readable.get(0)), new LayerAccess(other))
          .visit(differing);
    }
    if (ranges.isEmpty() || ranges.size() > MOST_RANGES) {
      List<Member> all = readings.stream().map(ScrubChecksums::member).toList();
      return List.of(new DamagedRange(part.offset(), part.length(), names(all), doubt));
    }
    return ranges;
  }

  private static List<String> names(List<Member> members) {
    return members.stream().map(Member::name).toList();
  }

  private final class Ranges implements ScrubDiff.Visitor {
    private final List<String> replicas;
    private final List<DamagedRange> ranges;

    Ranges(List<String> replicas, List<DamagedRange> ranges) {
      this.replicas = replicas;
      this.ranges = ranges;
    }

    @Override
    public void content(long offset, ByteString right) {
      ranges.add(new DamagedRange(offset, right.size(), replicas, doubt));
    }

    @Override
    public void hole(long offset, long length) {
      ranges.add(new DamagedRange(offset, length, replicas, doubt));
    }
  }
}

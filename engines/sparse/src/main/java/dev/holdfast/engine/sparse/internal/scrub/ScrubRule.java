package dev.holdfast.engine.sparse.internal.scrub;

import com.google.protobuf.ByteString;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides the right content of a part of a snapshot. A stored checksum decides; without one, the
 * content that most replicas hold. A part for which neither decides is left unchanged.
 */
final class ScrubRule {
  /**
   * Checksums of one replica.
   *
   * @param found checksum of its present content, empty when it cannot be read
   * @param kept stored checksum, empty when none is stored
   */
  record Copy(Optional<ByteString> found, Optional<ByteString> kept) {}

  /**
   * Decision about the content.
   *
   * @param right checksum of the right content, which at least one replica holds; empty when
   *     unknown
   * @param doubt reason why it is unknown, else empty
   */
  record Verdict(Optional<ByteString> right, String doubt) {
    private static Verdict right(ByteString sum) {
      return new Verdict(Optional.of(sum), "");
    }

    private static Verdict doubt(String why) {
      return new Verdict(Optional.empty(), why);
    }
  }

  private ScrubRule() {}

  static Verdict of(List<Copy> copies) {
    List<ByteString> found = copies.stream().flatMap(copy -> copy.found().stream()).toList();
    Set<ByteString> kept =
        copies.stream().flatMap(copy -> copy.kept().stream()).collect(Collectors.toSet());
    if (found.isEmpty()) {
      return Verdict.doubt("it cannot be read on any replica");
    }
    if (kept.size() == 1) {
      ByteString only = kept.iterator().next();
      return found.contains(only)
          ? Verdict.right(only)
          : Verdict.doubt("no replica has the content of the checksum");
    }
    return majority(found)
        .map(Verdict::right)
        .orElseGet(
            () ->
                Verdict.doubt(
                    kept.isEmpty()
                        ? "the replicas differ, and no checksum was kept before"
                        : "the replicas differ, and so do the checksums that they kept"));
  }

  private static Optional<ByteString> majority(List<ByteString> found) {
    Map<ByteString, Integer> votes = new HashMap<>();
    found.forEach(sum -> votes.merge(sum, 1, Integer::sum));
    return votes.entrySet().stream()
        .filter(entry -> mostOf(entry.getValue(), found.size()))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private static boolean mostOf(int votes, int all) {
    return 2 * votes > all;
  }
}

package dev.holdfast.engine.sparse.internal.scrub;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScrubRuleTest {
  /** Parses a replica "found/kept", with "-" for an absent value. */
  private static ScrubRule.Copy copy(String text) {
    String[] parts = text.split("/", -1);
    return new ScrubRule.Copy(sum(parts[0]), sum(parts[1]));
  }

  private static Optional<ByteString> sum(String text) {
    return text.equals("-") ? Optional.empty() : Optional.of(ByteString.copyFromUtf8(text));
  }

  private static ScrubRule.Verdict judge(String replicas) {
    return ScrubRule.of(Arrays.stream(replicas.split(" ", -1)).map(ScrubRuleTest::copy).toList());
  }

  @ParameterizedTest
  @CsvSource({
    "one replica without a checksum, a/-, a",
    "one replica with its checksum, a/a, a",
    "all agree, a/- a/- a/-, a",
    "all agree with the checksum, a/a a/a, a",
    "the checksum decides between two, b/a a/a, a",
    "one checksum is enough, b/- a/a, a",
    "the checksum counts more than the majority, b/a b/a a/a, a",
    "the majority where there is no checksum, a/- b/- a/-, a",
    "a disk that cannot read has no vote, -/- a/-, a",
    "a disk that cannot read is told by its own checksum, -/a a/-, a",
    "the majority where checksums contradict, a/a a/b a/-, a",
  })
  void rightIsWhatIsKnown(String why, String replicas, String right) {
    assertThat(judge(replicas).right()).as(why).isEqualTo(sum(right));
    assertThat(judge(replicas).doubt()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "two differ without a checksum, a/- b/-",
    "three differ without a checksum, a/- b/- c/-",
    "two against two, a/- a/- b/- b/-",
    "one replica against its checksum, b/a",
    "all against the checksum, b/a b/a b/a",
    "contradicting checksums of two that differ, a/a b/b",
    "no copy is readable, -/a -/-",
    "the only one that reads is against the checksum, -/a b/-",
  })
  void nothingIsGuessed(String why, String replicas) {
    assertThat(judge(replicas).right()).as(why).isEmpty();
    assertThat(judge(replicas).doubt()).isNotEmpty();
  }
}

package dev.holdfast.image.internal.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Headers {@code Range} of RFC 9110, section 14. */
class ByteRangeTest {
  private static Optional<ByteRange> range(String header) {
    ByteRange.Wanted wanted = ByteRange.of(Optional.of(header), 100);
    assertThat(wanted.satisfiable()).isTrue();
    return wanted.range();
  }

  @Test
  void oneRangeIsRead() {
    assertThat(range("bytes=0-0")).contains(new ByteRange(0, 1));
    assertThat(range("bytes=10-19")).contains(new ByteRange(10, 10));
    assertThat(range("bytes=10-")).contains(new ByteRange(10, 90));
    assertThat(range("bytes=-30")).contains(new ByteRange(70, 30));
    assertThat(range("bytes=-300")).contains(new ByteRange(0, 100));
    assertThat(range("bytes=90-200")).contains(new ByteRange(90, 10));
  }

  @Test
  void otherHeadersAreIgnored() {
    assertThat(ByteRange.of(Optional.empty(), 100).range()).isEmpty();
    assertThat(range("bytes=0-1,5-6")).isEmpty();
    assertThat(range("lines=0-1")).isEmpty();
    assertThat(range("bytes=-")).isEmpty();
    assertThat(range("bytes=9-3")).isEmpty();
    assertThat(range("bytes=99999999999999999999-")).isEmpty();
  }

  @Test
  void rangeBehindTheEndCannotBeSatisfied() {
    assertThat(ByteRange.of(Optional.of("bytes=100-"), 100).satisfiable()).isFalse();
    assertThat(ByteRange.of(Optional.of("bytes=-0"), 100).satisfiable()).isFalse();
  }
}

package dev.holdfast.language;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ExceptionsTest {
  private static Finding finding(String file, String word) {
    return new Finding(file, 1, word, "use something");
  }

  @Test
  void entryPermitsItsWordingInItsFileOnly() {
    Exceptions exceptions = Exceptions.parse("# comment\n\na/b.md | nobody | a user's name\n");
    assertThat(exceptions.permit(finding("a/b.md", "Nobody"))).isTrue();
    assertThat(exceptions.permit(finding("a/b.md", "somebody"))).isFalse();
    assertThat(exceptions.permit(finding("a/c.md", "nobody"))).isFalse();
  }

  @Test
  void entryOfAFolderPermitsAnyWordingBelow() {
    Exceptions exceptions = Exceptions.parse("a/ | * | not ours");
    assertThat(exceptions.permit(finding("a/b/c.md", "nobody"))).isTrue();
    assertThat(exceptions.permit(finding("ab/c.md", "nobody"))).isFalse();
  }

  @Test
  void entryWithoutReasonIsRejected() {
    assertThatThrownBy(() -> Exceptions.parse("a | b | "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected: path | wording | reason");
  }

  @Test
  void entryThatPermittedNothingIsReported() {
    Exceptions exceptions = Exceptions.parse("a | b | c\nd | e | f\n");
    exceptions.permit(finding("a", "b"));
    assertThat(exceptions.unused()).containsExactly(new Exceptions.Entry("d", "e", "f"));
  }
}

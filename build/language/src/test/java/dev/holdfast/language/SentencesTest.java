package dev.holdfast.language;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SentencesTest {
  private static List<Finding> check(String text) {
    return Sentences.check("a.md", new Passage(Passage.Kind.PROSE).add(text, 3));
  }

  @Test
  void sentenceOfFortyWordsIsAccepted() {
    assertThat(check("Word " + "word ".repeat(38) + "end.")).isEmpty();
  }

  @Test
  void sentenceOfFortyOneWordsIsFoundWithItsCount() {
    assertThat(check("First. " + "Word " + "word ".repeat(39) + "end."))
        .containsExactly(
            new Finding(
                "a.md",
                3,
                "Word word word word word word word word …",
                "sentence of 41 words: write sentences of at most 25"));
  }

  @Test
  void abbreviationInsideAFileNameDoesNotEndASentence() {
    assertThat(check("Word ".repeat(20) + "a.b.c " + "word ".repeat(20))).hasSize(1);
  }

  @Test
  void entriesOfAListOfErrorCodesAreCountedSeparately() {
    String words = "when it is so ".repeat(7);
    assertThat(check("INVALID " + words + "; NOT_FOUND " + words)).isEmpty();
  }
}

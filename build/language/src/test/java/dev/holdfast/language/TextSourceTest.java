package dev.holdfast.language;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TextSourceTest {
  private static List<String> check(List<Passage> passages) {
    return passages.stream()
        .flatMap(passage -> LanguageCheck.check("file", passage).stream())
        .map(finding -> finding.line() + " " + finding.word())
        .toList();
  }

  private static List<String> markdown(String text) {
    return check(TextSource.markdown(text));
  }

  private static List<String> commented(String text) {
    return check(TextSource.commented(text));
  }

  @Test
  void phraseIsFoundAcrossLinesOfAParagraph() {
    assertThat(markdown("# Title\n\nThe copy goes\non.\n")).containsExactly("3 goes on");
  }

  @Test
  void phraseDoesNotReachIntoTheNextParagraph() {
    assertThat(markdown("Where it goes\n\non\n\n- goes\n- on\n")).isEmpty();
  }

  @Test
  void cellIsReadOnItsOwn() {
    assertThat(markdown("| a | b |\n|---|---|\n| it goes | on |\n| for good | x |\n"))
        .containsExactly("4 for good");
  }

  @Test
  void inlineCodeAndTargetsOfLinksAreNotRead() {
    assertThat(markdown("Runs `nobody` of [the user](nobody.md).\n")).isEmpty();
  }

  @Test
  void outputInACodeBlockIsRead() {
    assertThat(markdown("```\nx is no number\n```\n")).containsExactly("2 is no number");
  }

  @Test
  void longSentenceOfAParagraphIsFound() {
    assertThat(markdown("Short one. " + "Word " + "word ".repeat(40) + "end.\n"))
        .singleElement()
        .asString()
        .startsWith("1 Word word");
  }

  @Test
  void sentenceLimitIgnoresLinesOfAProgram() {
    assertThat(commented("word ".repeat(60))).isEmpty();
  }

  @Test
  void commentsOfScriptsAreRead() {
    assertThat(commented("#!/bin/bash\n# It goes\n# on.\necho \"for good\"\n"))
        .containsExactly("2 goes on", "4 for good");
  }

  @Test
  void indentedLinesOfACommentAreSentencesOfTheirOwn() {
    String words = "word ".repeat(30);
    assertThat(commented("# usage\n#   -a  " + words + "\n#   -b  " + words + "\n")).isEmpty();
  }

  @Test
  void commentsOfXmlAndYamlAreRead() {
    assertThat(commented("  <!-- nobody -->\n  <a>b</a>\n")).containsExactly("1 nobody");
    assertThat(commented("a: b\n  # whoever\n")).containsExactly("2 whoever");
  }
}

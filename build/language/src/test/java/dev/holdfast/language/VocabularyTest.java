package dev.holdfast.language;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VocabularyTest {
  private static List<Finding> check(String sentence) {
    return LanguageCheck.check("a.md", new Passage(Passage.Kind.PROSE).add(sentence, 7));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Nobody uses it.",
        "It waits for somebody.",
        "Whoever asks first has it.",
        "Everybody may read.",
        "The copy goes on with the next region.",
        "The requests went on.",
        "It is removed for good.",
        "The file is no certificate.",
        "They are no members.",
        "It leaves of its own accord.",
        "The node was let in.",
        "Lets nodes of the cluster in and closes.",
        "It puts the old jar back.",
        "Makes a replica current.",
        "The replica is made current.",
        "See seed 008.",
        "See SEMANTICS.",
        "It fails now and then.",
        "Meanwhile it waits.",
        "It forwards for now.",
        "Makes a member none any more.",
        "Its name is read anew.",
        "A client waits in vain.",
        "Its node is not heard of.",
        "Its snapshots are attended to.",
        "Snapshots of one moment.",
        "While no request is at work.",
      })
  void rejectedWordingIsFoundOnceWithItsLine(String sentence) {
    assertThat(check(sentence))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.line()).isEqualTo(7);
              assertThat(sentence).contains(finding.word());
              assertThat(finding.suggestion()).startsWith("use ");
            });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "There is no replica.",
        "The node is no longer a member.",
        "There were no more than two.",
        "It lets the caller put a value in the map.",
        "The gate lets writes in this range wait.",
        "It goes online.",
        "The current generation is made durable.",
        "The semantics of a flush.",
        "The seed 17 fails.",
      })
  void ordinaryWordingIsAccepted(String sentence) {
    assertThat(check(sentence)).isEmpty();
  }
}

package dev.holdfast.commands.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules that hold for the whole table of verbs. */
class VerbGroupTest {
  @Test
  void verbsBeginWithTheirGroup() {
    for (VerbGroup group : VerbGroup.values()) {
      if (group.isSingle()) {
        assertThat(group.verbs()).extracting(Verb::name).containsExactly(group.word());
      } else {
        assertThat(group.verbs())
            .isNotEmpty()
            .allSatisfy(
                verb ->
                    assertThat(verb.name()).isIn(group.word(), group.word() + " " + verb.word()));
      }
    }
  }

  @Test
  void namesAreUnique() {
    assertThat(VerbGroup.allVerbs()).extracting(Verb::name).doesNotHaveDuplicates();
    assertThat(VerbGroup.allVerbs())
        .allSatisfy(
            verb ->
                assertThat(verb.options())
                    .as(verb.name())
                    .extracting(VerbOption::name)
                    .doesNotHaveDuplicates()
                    .allMatch(name -> name.matches("--[a-z][a-z-]+")));
  }

  @Test
  void everythingIsDescribed() {
    for (Verb verb : VerbGroup.allVerbs()) {
      assertThat(verb.lines()).as(verb.name()).isNotEmpty().doesNotContain("");
      assertThat(verb.options())
          .as(verb.name())
          .extracting(VerbOption::description)
          .doesNotContain("");
      assertThat(verb.arguments())
          .as(verb.name())
          .extracting(VerbArgument::description)
          .doesNotContain("");
    }
  }

  @Test
  void requiredArgumentsAreFirstAndRepeatedOnesLast() {
    for (Verb verb : VerbGroup.allVerbs()) {
      List<Boolean> required = verb.arguments().stream().map(a -> a.least() > 0).toList();
      assertThat(required.indexOf(false) < 0 ? List.of() : after(required, required.indexOf(false)))
          .as(verb.name())
          .doesNotContain(true);
      List<Boolean> repeated = verb.arguments().stream().map(VerbArgument::isRepeated).toList();
      assertThat(repeated.indexOf(true)).as(verb.name()).isIn(-1, repeated.size() - 1);
    }
  }

  private static List<Boolean> after(List<Boolean> values, int index) {
    return values.subList(index, values.size());
  }

  @Test
  void omissionLeavesTheRestOfAVerb() {
    Verb diff =
        VerbGroup.SNAPSHOT.verbs().stream()
            .filter(verb -> verb.word().equals("diff"))
            .findFirst()
            .orElseThrow();
    Omission option = new Omission("snapshot diff", "--from", "a reason");
    assertThat(Omission.applied(List.of(option), diff).orElseThrow().options())
        .extracting(VerbOption::name)
        .containsExactly("--no-wait", "--timeout");
    assertThat(Omission.applied(List.of(Omission.of("snapshot diff", "a reason")), diff)).isEmpty();
    assertThat(Omission.applied(List.of(Omission.of("mount", "a reason")), diff)).contains(diff);
  }
}

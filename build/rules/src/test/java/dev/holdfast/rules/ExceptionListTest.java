package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ExceptionListTest {
  private static final LayoutRule RULE = new SizeLimits();
  private static final Violation LARGE = Violation.of("size", "a", 45, "45 types, at most 40");

  private static List<String> problems(String text, Violation... violations) {
    return ExceptionList.parse(text).problems(RULE, List.of(violations));
  }

  @Test
  void listedViolationIsPermittedUpToItsSize() {
    assertThat(problems("size a - 45 # split with the next change", LARGE)).isEmpty();
    assertThat(problems("size a - 44 # split with the next change", LARGE))
        .containsExactly("size: a: 45 types, at most 40");
    assertThat(problems("", LARGE)).containsExactly("size: a: 45 types, at most 40");
  }

  @Test
  void entryThatIsNotNeededIsFound() {
    assertThat(problems("size b - 1 # reason"))
        .containsExactly("exception that is not needed: size b -");
    assertThat(problems("group-order b c 1 # of another rule")).isEmpty();
  }

  @Test
  void entryNeedsAReasonAndStandsOnce() {
    assertThatThrownBy(() -> ExceptionList.parse("size a - 45"))
        .hasMessageContaining("no \"RULE FROM TO SIZE # REASON\": size a - 45");
    assertThatThrownBy(() -> ExceptionList.parse("size a - 45 # x\nsize a - 46 # x"))
        .hasMessageContaining("listed twice: size a -");
  }
}

package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The tree follows the layout rules, except where the list of exceptions permits a violation. */
class ModuleRulesTest {
  private static ModuleTree tree;

  @BeforeAll
  static void readTree() {
    tree = ModuleTree.read(Path.of("../.."));
    assertThat(tree.bundles()).hasSizeGreaterThan(40);
    assertThat(tree.mainFiles()).hasSizeGreaterThan(1000);
  }

  static List<LayoutRule> rules() {
    return LayoutRule.all();
  }

  @ParameterizedTest
  @MethodSource("rules")
  void treeFollows(LayoutRule rule) {
    List<String> problems = ExceptionList.ofTheTree().problems(rule, rule.check(tree));
    assertThat(problems)
        .withFailMessage(() -> problems.size() + " problems:\n" + String.join("\n", problems))
        .isEmpty();
  }
}

package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A tree that breaks each rule: one that finds nothing here would find nothing in the real tree.
 */
class EachRuleFindsTest {
  private static final String API = "bundles/api/resource";
  private static final String CONTROL = "bundles/control/volume";
  private static final String ACCESS = "bundles/access/client";
  private static final String ENGINE = "engines/sparse";

  @TempDir Path root;

  static List<LayoutRule> rules() {
    return LayoutRule.all();
  }

  private PlantedTree broken() {
    return new PlantedTree(root)
        .module(API, CONTROL)
        .module(CONTROL, ACCESS)
        .module(ACCESS)
        .module(ENGINE, CONTROL)
        .exported(API, "a.resource")
        .source(
            API,
            "a.resource.Volume",
            "public record Volume(int a, int b) { public Volume(int a) { this(a, 0); } }")
        .source(
            CONTROL,
            "a.volume.internal.VolumeReconciler",
            """
            import a.volume.internal.step.Step;
            final class VolumeReconciler implements Reconciler<Volume> {
              Object label = of("holdfast.dev/volume", find(Condition, "Faulted"));
            }
            """)
        .source(
            CONTROL,
            "a.volume.internal.step.Step",
            "import a.volume.internal.VolumeReconciler;\nclass Step { VolumeReconciler r; }")
        .source(
            ACCESS, "a.client.Volume", "class Volume { Object o = find(Condition, \"Faulted\"); }")
        .write(ACCESS + "/src/test/java/a/client/LongTest.java", "\n".repeat(501));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void findsItsPlantedViolation(LayoutRule rule) {
    assertThat(broken().violations(rule)).isNotEmpty();
  }
}

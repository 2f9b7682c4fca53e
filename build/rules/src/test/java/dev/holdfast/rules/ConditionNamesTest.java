package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConditionNamesTest {
  private static final String VOLUME = "bundles/control/volume";
  private static final String CLIENT = "bundles/access/client";

  @TempDir Path root;

  private PlantedTree tree() {
    return new PlantedTree(root)
        .module(VOLUME)
        .module(CLIENT)
        .source(
            VOLUME,
            "a.volume.VolumeReasons",
            "class VolumeReasons { static final String FAULTED = \"Faulted\"; }");
  }

  @Test
  void reasonInTwoBundlesIsFoundWithBothClasses() {
    PlantedTree tree =
        tree()
            .source(
                CLIENT,
                "a.client.Why",
                "class Why { Object o = Condition.find(list, \"Faulted\"); }");
    assertThat(tree.violations(new ConditionNames()))
        .containsExactly(
            "condition-names: Faulted: is a literal in a.client.Why, a.volume.VolumeReasons:"
                + " use a constant beside the kind");
  }

  @Test
  void literalOfOneBundleAndOfAFileWithoutConditionsArePermitted() {
    PlantedTree tree =
        tree()
            .source(
                VOLUME,
                "a.volume.Other",
                "class Other { Object o = find(Condition, \"Faulted\"); }")
            .source(CLIENT, "a.client.Table", "class Table { Object o = head(\"Faulted\"); }");
    assertThat(tree.violations(new ConditionNames())).isEmpty();
  }
}

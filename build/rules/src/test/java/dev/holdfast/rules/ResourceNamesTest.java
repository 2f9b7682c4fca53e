package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResourceNamesTest {
  private static final String RESOURCE = "bundles/api/resource";
  private static final String VOLUME = "bundles/control/volume";
  private static final String ATTACHER = "attachers/api";
  private static final String LABEL = "static final String LABEL = \"holdfast.dev/volume\";";

  @TempDir Path root;

  private PlantedTree tree() {
    return new PlantedTree(root)
        .module(RESOURCE)
        .module(VOLUME)
        .module(ATTACHER)
        .source(RESOURCE, "dev.holdfast.resource.Volume", "class Volume { " + LABEL + " }");
  }

  @Test
  void literalOutsideOfTheKindsIsFound() {
    PlantedTree tree =
        tree()
            .source(VOLUME, "dev.holdfast.volume.internal.Parts", "class Parts { " + LABEL + " }")
            .source(
                ATTACHER,
                "dev.holdfast.attacher.api.internal.Api",
                "class Api { Object o = of(\"upgrade.holdfast.dev/report\", \"holdfast.dev/a\"); }");
    assertThat(tree.violations(new ResourceNames()))
        .containsExactlyInAnyOrder(
            "resource-names: dev.holdfast.volume.internal.Parts:"
                + " holdfast.dev/volume: is a literal: use the constant beside the kind,"
                + " or the name in the status",
            "resource-names: dev.holdfast.attacher.api.internal.Api:"
                + " holdfast.dev/a, upgrade.holdfast.dev/report:"
                + " is a literal: use the constant beside the kind, or the name in the status");
  }

  @Test
  void derivedNameOfAnEngineIsFound() {
    PlantedTree tree =
        tree()
            .source(
                VOLUME,
                "dev.holdfast.volume.internal.Parts",
                "class Parts { String engine(String volume) { return volume + \"-e-0\"; } }");
    assertThat(tree.violations(new ResourceNames()))
        .containsExactly(
            "resource-names: dev.holdfast.volume.internal.Parts: -e-0: is a literal:"
                + " use the constant beside the kind, or the name in the status");
  }

  @Test
  void pathsAndTheGroupArePermitted() {
    PlantedTree tree =
        tree()
            .source(
                VOLUME,
                "dev.holdfast.volume.internal.Parts",
                "class Parts { Object o = of(\"/apis/holdfast.dev/v1\", \"holdfast.dev\"); }");
    assertThat(tree.violations(new ResourceNames())).isEmpty();
  }
}

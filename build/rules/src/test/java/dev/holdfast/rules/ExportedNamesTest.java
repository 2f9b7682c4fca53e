package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportedNamesTest {
  @TempDir Path root;

  @Test
  void nameOfAnExportedTypeIsFoundElsewhere() {
    PlantedTree tree =
        new PlantedTree(root)
            .module("bundles/api/a")
            .exported("bundles/api/a", "a")
            .source("bundles/api/a", "a.Volume", "public class Volume {}")
            .module("frontends/b")
            .source("frontends/b", "b.internal.Volume", "class Volume {}");
    assertThat(tree.violations(new ExportedNames()))
        .containsExactly("simple-name: Volume: exported and again: a.Volume, b.internal.Volume");
  }

  @Test
  void nameOfTwoInternalTypesIsFound() {
    PlantedTree tree =
        new PlantedTree(root)
            .module("frontends/a")
            .source("frontends/a", "a.internal.Fields", "class Fields {}")
            .module("frontends/b")
            .source("frontends/b", "b.internal.Fields", "class Fields {}");
    assertThat(tree.violations(new ExportedNames()))
        .containsExactly(
            "simple-name: Fields: several types: a.internal.Fields, b.internal.Fields");
  }

  @Test
  void nestedTypesDoNotCount() {
    PlantedTree tree =
        new PlantedTree(root)
            .module("frontends/a")
            .source("frontends/a", "a.A", "class A { record Step() {} }")
            .source("frontends/a", "a.B", "class B { record Step() {} }");
    assertThat(tree.violations(new ExportedNames())).isEmpty();
  }
}

package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordConstructorsTest {
  private static final String RESOURCE = "bundles/api/resource";

  @TempDir Path root;

  private PlantedTree tree() {
    return new PlantedTree(root).module(RESOURCE);
  }

  @Test
  void publicConstructorBesideTheCanonicalOneIsFound() {
    PlantedTree tree =
        tree()
            .source(
                RESOURCE,
                "a.Disk",
                "public record Disk(int size, String path) {"
                    + " public Disk(int size) { this(size, \"\"); }"
                    + " public Disk(String path) { this(0, path); } }");
    assertThat(tree.violations(new RecordConstructors()))
        .containsExactly(
            "record-constructors: a.Disk:"
                + " 2 public constructors beside the canonical one: use withers or a factory");
  }

  @Test
  void canonicalAndPrivateConstructorsArePermitted() {
    PlantedTree tree =
        tree()
            .source(
                RESOURCE,
                "a.Compact",
                "public record Compact(int size) {"
                    + " public Compact { size = 1; }"
                    + " private Compact(String size) { this(1); }"
                    + " static Compact of() { return new Compact(1); } }")
            .source(
                RESOURCE,
                "a.Canonical",
                "public record Canonical(int size) {"
                    + " public Canonical(int size) { this.size = size; } }");
    assertThat(tree.violations(new RecordConstructors())).isEmpty();
  }
}

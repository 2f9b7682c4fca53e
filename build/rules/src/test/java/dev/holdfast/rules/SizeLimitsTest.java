package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SizeLimitsTest {
  private static final String API = "bundles/api/block";

  @TempDir Path root;

  private PlantedTree tree() {
    return new PlantedTree(root).module(API);
  }

  @Test
  void fortyFirstTypeOfAPackageIsFound() {
    PlantedTree tree = tree();
    for (int i = 0; i < 39; i++) {
      tree.source(API, "a.T" + i, "class T%d {}".formatted(i));
    }
    tree.source(API, "a.Last", "class Last {}");
    assertThat(tree.violations(new SizeLimits())).isEmpty();
    tree.source(API, "a.Last", "class Last { class Nested {} }\nclass Beside {}");
    assertThat(tree.violations(new SizeLimits())).containsExactly("size: a: 41 types, at most 40");
  }

  @Test
  void longFileIsFoundInTestsToo() {
    String path = API + "/src/test/java/a/LongTest.java";
    String text = "package a;\n" + "// line\n".repeat(498);
    PlantedTree tree = tree().write(path, text + "class LongTest {}\n");
    assertThat(tree.violations(new SizeLimits())).isEmpty();
    tree.write(path, text + "\nclass LongTest {}\n");
    assertThat(tree.violations(new SizeLimits()))
        .containsExactly("size: " + path + ": 501 lines, at most 500");
  }

  @Test
  void eleventhMethodOfAnInterfaceIsFound() {
    String methods = "void m%d();".repeat(10).formatted(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    PlantedTree tree =
        tree()
            .source(API, "a.Ten", "interface Ten { static void of() {} " + methods + " }")
            .source(API, "a.Eleven", "interface Eleven { default void m() {} " + methods + " }");
    assertThat(tree.violations(new SizeLimits()))
        .containsExactly("size: a.Eleven: 11 methods, at most 10");
  }
}

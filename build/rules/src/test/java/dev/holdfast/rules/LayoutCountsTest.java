package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LayoutCountsTest {
  private static final String NODE = "bundles/control/node";

  @TempDir Path root;

  @Test
  void countsOfAPlantedTree() {
    PlantedTree tree =
        new PlantedTree(root)
            .pom("", "<modules><module>bundles</module></modules>")
            .module(NODE)
            .source(NODE, "n.EngineReconciler", "class EngineReconciler { Path next; }")
            .source(NODE, "n.Path", "class Path { String label = \"holdfast.dev/volume\"; }")
            .source(NODE, "n.Other", "class Other { String label = \"holdfast.dev/volumes\"; }")
            .source(
                NODE,
                "n.Point",
                """
                record Point(int x, int y) {
                  static final Point ZERO = new Point(0, 0);
                  public Point { check(x); }
                  public Point(int x) { this(x, 0); }
                  Point(Point other) { this(other.x, other.y); }
                }
                """)
            .source(
                NODE,
                "n.Pair",
                "record Pair(int a, int b) { public Pair(int a, int b) { this.a = a; } }");
    List<String> lines =
        new LayoutCounts(tree.read())
            .lines().stream().map(line -> line.replaceAll("\\s+", " ")).toList();
    assertThat(lines)
        .contains(
            "types of the largest package 5 n",
            "files over 500 lines 0",
            "bundles 1 {control=1}",
            "further public constructors of records 1",
            "literals holdfast.dev/volume 1",
            "modules without README.md 1 bundles/control/node",
            "classes of the attach path 2 EngineReconciler Path");
  }
}

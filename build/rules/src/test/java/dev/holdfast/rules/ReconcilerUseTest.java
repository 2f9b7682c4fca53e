package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReconcilerUseTest {
  private static final String MODULE = "bundles/control/node";

  @TempDir Path root;

  private PlantedTree tree() {
    return new PlantedTree(root)
        .module(MODULE)
        .source(
            MODULE,
            "dev.holdfast.node.EngineReconciler",
            "import dev.holdfast.controller.Reconciler;\n"
                + "final class EngineReconciler implements Reconciler<Engine> { class Step {} }");
  }

  @Test
  void dependantInTheSamePackageIsFound() {
    PlantedTree tree =
        tree()
            .source(
                MODULE,
                "dev.holdfast.node.EngineParts",
                "class EngineParts { private final EngineReconciler engines; }");
    assertThat(tree.violations(new ReconcilerUse()))
        .containsExactly(
            "reconciler-use: dev.holdfast.node.EngineParts ->"
                + " dev.holdfast.node.EngineReconciler: depends on a concrete reconciler");
  }

  @Test
  void dependantOfAReconcilerWithABaseClassIsFound() {
    PlantedTree tree =
        tree()
            .source(
                MODULE,
                "dev.holdfast.node.Base",
                "abstract class Base implements Reconciler<Node> {}")
            .source(MODULE, "dev.holdfast.node.NodeLoop", "class NodeLoop extends Base {}")
            .source(
                MODULE, "dev.holdfast.node.Start", "class Start { Object o = new NodeLoop(); }");
    assertThat(tree.violations(new ReconcilerUse()))
        .singleElement()
        .asString()
        .contains("dev.holdfast.node.Start -> dev.holdfast.node.NodeLoop");
  }

  @Test
  void itsNestedTypesAndTestsMayUseIt() {
    PlantedTree tree =
        tree()
            .write(
                MODULE + "/src/test/java/dev/holdfast/node/EngineReconcilerTest.java",
                "package dev.holdfast.node;\nclass EngineReconcilerTest { EngineReconciler r; }");
    assertThat(tree.violations(new ReconcilerUse())).isEmpty();
  }
}

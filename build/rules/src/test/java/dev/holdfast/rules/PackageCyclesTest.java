package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackageCyclesTest {
  private static final String MODULE = "bundles/access/csi";

  @TempDir Path root;

  private PlantedTree tree() {
    return new PlantedTree(root).module(MODULE);
  }

  @Test
  void importForJavadocClosesACycle() {
    PlantedTree tree =
        tree()
            .source(MODULE, "a.Server", "import a.internal.Calls;\nclass Server { Calls calls; }")
            .source(
                MODULE,
                "a.internal.Calls",
                "import a.Server;\n/** See {@link Server}. */\npublic class Calls {}");
    assertThat(tree.violations(new PackageCycles()))
        .containsExactly(
            "package-cycle: a -> a.internal: Server uses a.internal.Calls, Calls uses a.Server");
  }

  @Test
  void nameWithItsPackageClosesACycle() {
    PlantedTree tree =
        tree()
            .source(MODULE, "a.Server", "class Server { a.internal.Calls calls; }")
            .source(MODULE, "a.internal.Calls", "public class Calls { Object o = a.Server.of(); }");
    assertThat(tree.violations(new PackageCycles())).hasSize(1);
  }

  @Test
  void importOfAllTypesAndOfAStaticMemberCloseACycle() {
    PlantedTree tree =
        tree()
            .source(MODULE, "a.Server", "import a.b.*;\nclass Server { Calls calls; }")
            .source(MODULE, "a.b.Calls", "import static a.Server.of;\npublic class Calls {}");
    assertThat(tree.violations(new PackageCycles())).hasSize(1);
  }

  @Test
  void longerCycleIsFound() {
    PlantedTree tree =
        tree()
            .source(MODULE, "a.A", "class A { b.B next; }")
            .source(MODULE, "b.B", "class B { c.C next; }")
            .source(MODULE, "c.C", "class C { a.A next; }");
    assertThat(tree.violations(new PackageCycles()))
        .containsExactly(
            "package-cycle: a -> b: A uses b.B in a longer cycle",
            "package-cycle: b -> c: B uses c.C in a longer cycle",
            "package-cycle: c -> a: C uses a.A in a longer cycle");
  }

  @Test
  void dependenciesInOneDirectionAreNotACycle() {
    PlantedTree tree =
        tree()
            .source(MODULE, "a.A", "class A { b.B next; c.C last; }")
            .source(MODULE, "b.B", "class B { c.C next; }")
            .source(MODULE, "c.C", "class C {}");
    assertThat(tree.violations(new PackageCycles())).isEmpty();
  }
}

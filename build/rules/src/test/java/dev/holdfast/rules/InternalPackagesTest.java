package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InternalPackagesTest {
  private static final String CSI = "bundles/access/csi";
  private static final String SHELL = "bundles/access/shell";

  @TempDir Path root;

  private PlantedTree tree() {
    return new PlantedTree(root)
        .module(CSI)
        .module(SHELL)
        .source(CSI, "dev.holdfast.csi.internal.node.Stage", "public class Stage {}");
  }

  @Test
  void useByAnotherBundleIsFound() {
    PlantedTree tree =
        tree()
            .source(
                SHELL,
                "dev.holdfast.shell.internal.Status",
                "import dev.holdfast.csi.internal.node.Stage;\nclass Status {}")
            .source(
                CSI,
                "dev.holdfast.csi.internal.Driver",
                "import dev.holdfast.csi.internal.node.Stage;\nclass Driver {}");
    assertThat(tree.violations(new InternalPackages()))
        .containsExactly(
            "internal-packages: dev.holdfast.shell.internal.Status ->"
                + " dev.holdfast.csi.internal.node.Stage: is internal to another bundle");
  }

  @Test
  void packageThatIsNeitherExportedNorInternalIsFound() {
    PlantedTree tree =
        tree()
            .source(SHELL, "dev.holdfast.shell.Status", "class Status {}")
            .source(CSI, "dev.holdfast.csi.Driver", "class Driver {}")
            .exported(CSI, "dev.holdfast.csi");
    assertThat(tree.violations(new InternalPackages()))
        .containsExactly(
            "internal-packages: dev.holdfast.shell: is neither exported nor below internal");
  }

  @Test
  void packageInTwoBundlesIsFound() {
    PlantedTree tree =
        tree().source(SHELL, "dev.holdfast.csi.internal.node.Other", "class Other {}");
    assertThat(tree.violations(new InternalPackages()))
        .containsExactly(
            "internal-packages: dev.holdfast.csi.internal.node:"
                + " stands in bundles/access/csi, bundles/access/shell");
  }
}

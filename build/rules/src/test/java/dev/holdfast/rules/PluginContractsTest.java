package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginContractsTest {
  @TempDir Path root;

  private PlantedTree tree() {
    return new PlantedTree(root)
        .module("bundles/api/engine")
        .module("bundles/api/store")
        .module("bundles/lib/posix")
        .module("bundles/cluster/rpc");
  }

  @Test
  void implementationBundleInThePomIsFound() {
    PlantedTree tree = tree().module("engines/sparse", "bundles/api/engine", "bundles/cluster/rpc");
    assertThat(tree.violations(new PluginContracts()))
        .containsExactly(
            "plugin-contracts: engines/sparse -> bundles/cluster/rpc: not a contract for plugins");
  }

  @Test
  void implementationTypeIsFoundWithBothClasses() {
    PlantedTree tree =
        tree()
            .module("frontends/nbd")
            .source("bundles/cluster/rpc", "dev.holdfast.rpc.Calls", "public class Calls {}")
            .source("frontends/nbd", "dev.holdfast.nbd.A", "class A { dev.holdfast.rpc.Calls c; }");
    assertThat(tree.violations(new PluginContracts()))
        .containsExactly(
            "plugin-contracts: frontends/nbd -> bundles/cluster/rpc:"
                + " dev.holdfast.nbd.A uses dev.holdfast.rpc.Calls");
  }

  @Test
  void onlyAttachersSeeTheStore() {
    PlantedTree tree =
        tree()
            .module("engines/sparse", "bundles/api/store")
            .module("attachers/csi", "bundles/api/store");
    assertThat(tree.violations(new PluginContracts()))
        .containsExactly(
            "plugin-contracts: engines/sparse -> bundles/api/store: not a contract for plugins");
  }

  @Test
  void bundlesOfItsOwnAreAllowed() {
    PlantedTree tree =
        tree()
            .module("engines/sparse-rpc")
            .exported("engines/sparse-rpc", "dev.holdfast.engine.sparse.rpc")
            .source("engines/sparse-rpc", "dev.holdfast.engine.sparse.rpc.A", "public class A {}")
            .module("engines/sparse", "engines/sparse-rpc", "bundles/lib/posix")
            .module("engines/other", "engines/sparse-rpc");
    assertThat(tree.violations(new PluginContracts()))
        .containsExactly(
            "plugin-contracts: engines/other -> engines/sparse-rpc: not a contract for plugins");
  }
}

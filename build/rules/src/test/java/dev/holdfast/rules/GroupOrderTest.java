package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GroupOrderTest {
  @TempDir Path root;

  private PlantedTree tree() {
    return new PlantedTree(root);
  }

  @Test
  void dependencyToTheRightIsFound() {
    PlantedTree tree =
        tree()
            .module("bundles/store/json", "bundles/control/volume", "bundles/api/store")
            .module("bundles/control/volume", "bundles/store/json")
            .module("bundles/api/store");
    assertThat(tree.violations(new GroupOrder()))
        .containsExactly(
            "group-order: bundles/store/json -> bundles/control/volume: against the group order");
  }

  @Test
  void storeAndDataDoNotSeeEachOther() {
    PlantedTree tree =
        tree()
            .module("bundles/store/json", "bundles/data/portal")
            .module("bundles/data/portal", "bundles/store/json");
    assertThat(tree.violations(new GroupOrder())).hasSize(2);
  }

  @Test
  void dependencyOfTheParentIsFound() {
    PlantedTree tree =
        tree()
            .module("bundles/control/volume")
            .pom(
                "bundles/api",
                "<modules><module>store</module></modules><dependencies>"
                    + PlantedTree.dependency("bundles/control/volume", "provided")
                    + "</dependencies>")
            .pom(
                "bundles/api/store",
                "<parent><groupId>dev.holdfast</groupId><artifactId>bundles-api</artifactId></parent>");
    assertThat(tree.violations(new GroupOrder()))
        .containsExactly(
            "group-order: bundles/api/store -> bundles/control/volume: against the group order");
  }

  @Test
  void importWithoutDependencyInThePomIsFound() {
    PlantedTree tree =
        tree()
            .module("bundles/lib/posix")
            .module("bundles/data/portal")
            .source("bundles/data/portal", "dev.holdfast.portal.Portal", "public class Portal {}")
            .source(
                "bundles/lib/posix",
                "dev.holdfast.posix.Files",
                "import dev.holdfast.portal.Portal;\nclass Files {}");
    assertThat(tree.violations(new GroupOrder()))
        .containsExactly(
            "group-order: bundles/lib/posix -> bundles/data/portal:"
                + " dev.holdfast.posix.Files uses dev.holdfast.portal.Portal");
  }

  @Test
  void pluginInABundleIsFound() {
    PlantedTree tree =
        tree().module("bundles/control/node", "engines/sparse").module("engines/sparse");
    assertThat(tree.violations(new GroupOrder())).hasSize(1);
  }

  @Test
  void unknownGroupIsFound() {
    assertThat(tree().module("bundles/misc/thing").violations(new GroupOrder()))
        .containsExactly(
            "group-order: bundles/misc/thing -> bundles: the group has no place in the order");
  }

  @Test
  void kitsTestsAndTheGrpcLibraryAreExempt() {
    PlantedTree tree =
        tree()
            .module("bundles/testkit/store", "bundles/access/csi")
            .pom(
                "bundles/access/csi",
                "<dependencies>"
                    + PlantedTree.dependency("bundles/testkit/store", "test")
                    + "</dependencies>")
            .module("bundles/lib/grpc")
            .module("bundles/api/rpc", "bundles/lib/grpc");
    assertThat(tree.violations(new GroupOrder())).isEmpty();
  }
}

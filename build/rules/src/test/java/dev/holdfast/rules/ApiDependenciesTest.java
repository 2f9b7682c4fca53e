package dev.holdfast.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiDependenciesTest {
  private static final String BLOCK = "bundles/api/block";
  private static final String RPC = "bundles/api/rpc";

  @TempDir Path root;

  private PlantedTree tree() {
    return new PlantedTree(root).module(BLOCK);
  }

  @Test
  void libraryInTheSourcesIsFound() {
    PlantedTree tree =
        tree()
            .source(
                BLOCK,
                "dev.holdfast.block.Device",
                """
                import io.soabase.recordbuilder.core.RecordBuilder;
                import java.util.List;
                import org.osgi.annotation.versioning.ProviderType;
                import org.slf4j.Logger;
                public interface Device { dev.holdfast.block.Range range(); }
                """)
            .source(BLOCK, "dev.holdfast.block.Range", "public record Range(long start) {}");
    assertThat(tree.violations(new ApiDependencies()))
        .containsExactly(
            "api-dependencies: dev.holdfast.block.Device -> org.slf4j.Logger:"
                + " is not a type of an API bundle");
  }

  @Test
  void bundleOfAnotherGroupIsFound() {
    PlantedTree tree =
        tree().module("bundles/lib/posix").module("bundles/api/x", BLOCK, "bundles/lib/posix");
    assertThat(tree.violations(new ApiDependencies()))
        .containsExactly(
            "api-dependencies: bundles/api/x -> bundles/lib/posix: not for API bundles");
  }

  @Test
  void onlyTheRpcApiNamesGrpc() {
    String text = "import io.grpc.Channel;\npublic interface %s { Channel channel(); }";
    PlantedTree tree =
        tree()
            .module("bundles/lib/grpc")
            .module(RPC, "bundles/lib/grpc")
            .module("bundles/api/engine", RPC)
            .source(RPC, "dev.holdfast.rpc.Channels", text.formatted("Channels"))
            .source(BLOCK, "dev.holdfast.block.Device", text.formatted("Device"));
    assertThat(tree.violations(new ApiDependencies()))
        .containsExactly(
            "api-dependencies: dev.holdfast.block.Device -> io.grpc.Channel:"
                + " is not a type of an API bundle",
            "api-dependencies: bundles/api/engine -> bundles/api/rpc: not for API bundles");
  }
}

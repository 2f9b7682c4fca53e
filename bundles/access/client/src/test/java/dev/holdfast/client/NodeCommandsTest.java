package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NodeCommandsTest {
  private static final List<String> BOTH = List.of("node-1", "node-2");

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final NodeCommands nodes = new NodeCommands(store);

  private void create(String name, Condition.Status ready) throws StorageException {
    Node node = store.create(Node.of(name, NodeSpec.EMPTY));
    store.updateStatus(
        node.withStatus(
            node.status()
                .withConditions(
                    Condition.with(List.of(), "Ready", ready, "Test", "", Instant.EPOCH))));
  }

  @Test
  void nodesThatAreReadyAreNotWaitedFor() throws Exception {
    create("node-2", Condition.Status.TRUE);
    create("node-1", Condition.Status.TRUE);
    assertThat(nodes.awaitReady(BOTH, Waiting.upTo(Duration.ofMinutes(1))).items())
        .extracting(Node::name)
        .containsExactly("node-1", "node-2");
  }

  @Test
  void unknownNodeIsAwaited() throws Exception {
    create("node-1", Condition.Status.TRUE);
    CompletableFuture<String> waits = new CompletableFuture<>();
    Waiting waiting = new Waiting(Duration.ofMinutes(2), waits::complete);
    CompletableFuture<List<Node>> asked =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return nodes.awaitReady(BOTH, waiting).items();
              } catch (StorageException e) {
                throw new AssertionError(e);
              }
            });
    assertThat(waits.get(1, TimeUnit.MINUTES)).endsWith("not ready: node-2");
    create("node-2", Condition.Status.TRUE);
    assertThat(asked.get(1, TimeUnit.MINUTES)).hasSize(2);
  }

  @Test
  void unreadyNodeIsNamed() throws Exception {
    create("node-1", Condition.Status.TRUE);
    create("node-2", Condition.Status.UNKNOWN);
    assertThatThrownBy(() -> nodes.awaitReady(BOTH, Waiting.upTo(Duration.ofMillis(1))))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("not ready: node-2");
  }
}

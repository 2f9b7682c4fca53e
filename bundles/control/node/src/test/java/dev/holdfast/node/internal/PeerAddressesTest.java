package dev.holdfast.node.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PeerAddressesTest {
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final PeerAddresses peers = new PeerAddresses("node-1");

  @BeforeEach
  void theStoreIsThere() {
    peers.addStore(store);
  }

  private void node(String name, NodeStatus status) throws StorageException {
    Node created = store.create(Node.of(name, NodeSpec.EMPTY));
    store.updateStatus(created.withStatus(status));
  }

  @Test
  void addressAndPortAreThoseThatTheNodeReported() throws Exception {
    node("node-2", NodeStatus.EMPTY.withAddress("127.0.0.2").withPorts(Map.of("rpc", 7444)));

    assertThat(peers.self()).isEqualTo("node-1");
    assertThat(peers.address("node-2", "rpc").getAddress().getHostAddress()).isEqualTo("127.0.0.2");
    assertThat(peers.address("node-2", "rpc").getPort()).isEqualTo(7444);
  }

  @Test
  void missingFieldIsNamed() throws Exception {
    node("silent", NodeStatus.EMPTY);
    node("everywhere", NodeStatus.EMPTY.withAddress("0.0.0.0").withPorts(Map.of("rpc", 1)));
    node("old", NodeStatus.EMPTY.withAddress("127.0.0.2").withPorts(Map.of("api", 7443)));

    refused("gone", "does not exist");
    refused("silent", "--advertised-address");
    refused("everywhere", "--advertised-address");
    refused("old", "no port rpc");
  }

  @Test
  void storeMayBeReplaced() throws Exception {
    node("node-2", NodeStatus.EMPTY.withAddress("127.0.0.2").withPorts(Map.of("rpc", 7444)));
    MemoryResourceStore next = new MemoryResourceStore();

    peers.removeStore(store);
    refused("node-2", "the store is away");
    peers.addStore(store);
    peers.removeStore(next);
    assertThat(peers.address("node-2", "rpc").getPort()).isEqualTo(7444);
  }

  private void refused(String node, String why) {
    assertThatThrownBy(() -> peers.address(node, "rpc"))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE))
        .hasMessageContaining(node)
        .hasMessageContaining(why);
  }
}

package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.cluster.ClusterRotation;
import dev.holdfast.cluster.IssuedToken;
import dev.holdfast.cluster.JoinToken;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.VolumeAttachmentSpec;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.cluster.LeaseSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NodeMembersTest {
  private static final Optional<Instant> SOMETIME = Optional.of(Instant.EPOCH);

  private final MemoryResourceStore store = new MemoryResourceStore();
  private final Revocations cluster = new Revocations();
  private final NodeMembers members = new NodeMembers(store, cluster);

  /** Remembers whose credential was taken, and whether the node was still there then. */
  private final class Revocations implements ClusterAccess {
    private final List<String> revoked = new ArrayList<>();

    @Override
    public IssuedToken newToken(Duration validity) {
      JoinToken token = new JoinToken("0123456789abcdef", "s".repeat(32), "f".repeat(43));
      return new IssuedToken(token, Instant.EPOCH);
    }

    @Override
    public void revoke(String node) throws StorageException {
      assertThat(store.get(Node.KIND, node)).as("the resource goes last").isPresent();
      revoked.add(node);
    }

    @Override
    public ClusterRotation rotation() {
      throw new UnsupportedOperationException("rotation");
    }
  }

  @BeforeEach
  void makeANode() throws Exception {
    store.create(Node.of("node-2", NodeSpec.EMPTY));
    store.create(Lease.of("node-node-2", LeaseSpec.EMPTY));
  }

  private void replica(String name, String volume, String node, Optional<Instant> healthyAt)
      throws StorageException {
    ReplicaSpec spec =
        ReplicaSpec.EMPTY.withVolume(volume).withNodeID(node).withHealthyAt(healthyAt);
    store.create(
        Replica.of(
            name,
            spec.withDataEngine("sparse")
                .withDiskID("disk-1")
                .withDiskPath("/disks/1")
                .withDataDirectoryName(name)));
  }

  @Test
  void anEmptyNodeLosesCredentialResourceAndLease() throws Exception {
    assertThat(members.remove("node-2", false)).isEqualTo(new RemovedNode("node-2", ""));

    assertThat(cluster.revoked).containsExactly("node-2");
    assertThat(store.get(Node.KIND, "node-2")).isEmpty();
    assertThat(store.get(Lease.KIND, "node-node-2")).isEmpty();
  }

  @Test
  void aNodeWithReplicasIsKeptUnlessForced() throws Exception {
    replica("a-r-1", "a", "node-2", SOMETIME);
    replica("a-r-2", "a", "node-1", SOMETIME);
    replica("b-r-1", "b", "node-2", SOMETIME);
    replica("b-r-2", "b", "node-1", Optional.empty());

    assertThatThrownBy(() -> members.remove("node-2", false))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
        .hasMessageContaining("2 replicas (a-r-1, b-r-1)")
        .hasMessageContaining("the last good copy of b")
        .hasMessageContaining("--force");
    assertThat(cluster.revoked).isEmpty();
    assertThat(store.get(Node.KIND, "node-2")).isPresent();

    assertThat(members.remove("node-2", true).held()).contains("a-r-1");
    assertThat(store.get(Node.KIND, "node-2")).isEmpty();
    assertThat(store.get(Replica.KIND, "a-r-1")).as("left to the controller").isPresent();
  }

  @Test
  void aNodeWhereAVolumeIsWantedIsKept() throws Exception {
    AttachmentTicket ticket =
        AttachmentTicket.EMPTY.withId("t").withType("api").withNodeID("node-2");
    store.create(
        VolumeAttachment.of(
            "a",
            VolumeAttachmentSpec.EMPTY.withVolume("a").withAttachmentTickets(Map.of("t", ticket))));

    assertThatThrownBy(() -> members.remove("node-2", false))
        .hasMessageContaining("attachments of a");
  }

  @Test
  void missingNodeIsReported() {
    assertThatThrownBy(() -> members.remove("node-7", true))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
  }
}

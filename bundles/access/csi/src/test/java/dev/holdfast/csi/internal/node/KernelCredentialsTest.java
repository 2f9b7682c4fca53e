package dev.holdfast.csi.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class KernelCredentialsTest {
  private static final URI ISCSI = URI.create("iscsi://127.0.0.1:3260/iqn.x:v/0");
  private static final URI NVME = URI.create("nvme://127.0.0.1:4420/nqn.x:v");
  private static final URI NBD = URI.create("nbd://127.0.0.1:10809/v");

  private static Optional<Node> node(Condition.Status authenticated) {
    Node node = Node.of("node-1", NodeSpec.EMPTY);
    return Optional.of(
        node.withStatus(
            node.status()
                .withConditions(
                    Condition.with(
                        List.of(),
                        "DataPathAuthenticated",
                        authenticated,
                        "Required",
                        "",
                        Instant.EPOCH))));
  }

  @Test
  void kernelOfANodeThatRequiresCredentialsGetsTheRemedy() {
    assertThat(KernelCredentials.remedy(ISCSI, node(Condition.Status.TRUE), "login failed"))
        .hasValueSatisfying(
            text -> assertThat(text).contains("login failed", "audit --verb connect", "iscsid"));
    assertThat(KernelCredentials.remedy(NVME, node(Condition.Status.TRUE), "refused"))
        .hasValueSatisfying(
            text -> assertThat(text).contains("refused", "CONFIG_NVME_HOST_AUTH", "hostnqn"));
  }

  @Test
  void otherFailuresStayAsTheyAre() {
    assertThat(KernelCredentials.remedy(NBD, node(Condition.Status.TRUE), "x")).isEmpty();
    assertThat(KernelCredentials.remedy(ISCSI, node(Condition.Status.FALSE), "x")).isEmpty();
    assertThat(KernelCredentials.remedy(ISCSI, Optional.empty(), "x")).isEmpty();
  }
}

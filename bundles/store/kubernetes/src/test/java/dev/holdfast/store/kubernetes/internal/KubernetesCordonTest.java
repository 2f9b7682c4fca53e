package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real API server whose node is cordoned by kubectl. */
@Tag("slow")
class KubernetesCordonTest {
  private Kubectl kubectl;
  private KubernetesConnection connection;
  private KubernetesResourceStore store;

  @BeforeEach
  void makeTheNode() throws Exception {
    kubectl = new Kubectl(TestCluster.server().kubeconfig());
    connection = TestCluster.connect(TestCluster.server().kubeconfig());
    store = TestCluster.store(TestCluster.server().kubeconfig());
    TestCluster.clear(store);
    succeed(
        kubectl.runWith(
            "apiVersion: v1\nkind: Node\nmetadata: {name: drained}", "apply", "-f", "-"));
    store.create(Node.of("drained", NodeSpec.EMPTY));
    store.create(Node.of("elsewhere", NodeSpec.EMPTY));
  }

  @AfterEach
  void takeItAway() throws Exception {
    kubectl.run("delete", "node/drained");
    TestCluster.clear(store);
    store.close();
    connection.close();
  }

  private static void succeed(Kubectl.Result result) {
    assertThat(result.code()).as(result.output()).isZero();
  }

  private boolean isCordoned(String node) throws Exception {
    assertThat(new KubernetesCordon(connection, store, node).run()).isFalse();
    return store.get(Node.KIND, node).orElseThrow().isCordoned();
  }

  @Test
  void nodeIsCordonedAsInKubernetes() throws Exception {
    assertThat(isCordoned("drained")).isFalse();
    succeed(kubectl.run("cordon", "drained"));
    assertThat(isCordoned("drained")).isTrue();
    assertThat(store.get(Node.KIND, "drained").orElseThrow().spec().allowScheduling()).isTrue();
    succeed(kubectl.run("uncordon", "drained"));
    assertThat(isCordoned("drained")).isFalse();
  }

  @Test
  void nodeThatKubernetesDoesNotHaveIsNotCordoned() throws Exception {
    assertThat(isCordoned("elsewhere")).isFalse();
  }
}

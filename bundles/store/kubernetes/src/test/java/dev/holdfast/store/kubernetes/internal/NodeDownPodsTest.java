package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.kube.testkit.KubeTools;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real API server with a pod on a lost node. */
@Tag("slow")
class NodeDownPodsTest {
  private static final String WORLD =
      """
      apiVersion: v1
      kind: Node
      metadata: {name: lost}
      ---
      apiVersion: v1
      kind: PersistentVolume
      metadata: {name: pv-of-lost}
      spec:
        capacity: {storage: 1Gi}
        accessModes: [ReadWriteOnce]
        csi: {driver: csi.holdfast.dev, volumeHandle: pv-of-lost}
        claimRef: {namespace: default, name: data-db-0}
      ---
      apiVersion: storage.k8s.io/v1
      kind: VolumeAttachment
      metadata: {name: va-of-lost, finalizers: [example.com/attacher]}
      spec:
        attacher: csi.holdfast.dev
        nodeName: lost
        source: {persistentVolumeName: pv-of-lost}
      ---
      apiVersion: v1
      kind: Pod
      metadata:
        name: db-0
        namespace: default
        ownerReferences:
        - {apiVersion: apps/v1, kind: StatefulSet, name: db, uid: some, controller: true}
      spec:
        nodeName: lost
        automountServiceAccountToken: false
        containers: [{name: main, image: none}]
        volumes: [{name: data, persistentVolumeClaim: {claimName: data-db-0}}]
      """;

  private Kubectl kubectl;
  private KubernetesConnection connection;
  private KubernetesResourceStore store;

  @BeforeEach
  void makeTheWorld() throws Exception {
    kubectl = new Kubectl(TestCluster.server().kubeconfig());
    connection = TestCluster.connect(TestCluster.server().kubeconfig());
    store = TestCluster.store(TestCluster.server().kubeconfig());
    TestCluster.clear(store);
    succeed(kubectl.runWith(WORLD, "apply", "-f", "-"));
    kubeletIs("Unknown");
    node("lost", Condition.Status.UNKNOWN);
    node("other", Condition.Status.TRUE);
    node("self", Condition.Status.TRUE);
    store.create(Setting.of(NodeDownPolicy.SETTING, new SettingSpec("delete-statefulset-pod")));
    succeed(kubectl.run("delete", "pod", "db-0", "--grace-period=1", "--wait=false"));
  }

  @AfterEach
  void takeItAway() throws Exception {
    kubectl.run("delete", "pod", "db-0", "--force", "--grace-period=0");
    attacherDetaches();
    kubectl.run("delete", "volumeattachment", "va-of-lost");
    kubectl.run("patch", "pv", "pv-of-lost", "-p", "{\"metadata\":{\"finalizers\":null}}");
    kubectl.run("delete", "pv/pv-of-lost", "node/lost");
    TestCluster.clear(store);
    store.close();
    connection.close();
  }

  private static String succeed(Kubectl.Result result) {
    assertThat(result.code()).as(result.output()).isZero();
    return result.output();
  }

  private void kubeletIs(String ready) throws Exception {
    String status =
        "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"" + ready + "\"}]}}";
    succeed(kubectl.run("patch", "node", "lost", "--subresource=status", "-p", status));
  }

  private void node(String name, Condition.Status ready) throws StorageException {
    Node made = store.create(Node.of(name, NodeSpec.EMPTY));
    store.updateStatus(
        made.withStatus(
            made.status()
                .withConditions(
                    Condition.with(List.of(), "Ready", ready, "Test", "", Instant.now()))));
  }

  private void attacherDetaches() throws Exception {
    kubectl.run(
        "patch", "volumeattachment", "va-of-lost", "-p", "{\"metadata\":{\"finalizers\":null}}");
  }

  /** One minute later, after the grace period of the pod. */
  private NodeDownPods of(String node) {
    Clock later = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(1));
    return new NodeDownPods(connection, store, later, node);
  }

  private String left() throws Exception {
    return succeed(
        kubectl.run("get", "pods,volumeattachments", "--output=name", "--ignore-not-found"));
  }

  @Test
  void theVolumeIsDetachedAndThenThePodIsRemoved() throws Exception {
    NodeDownPods pods = of("other");

    assertThat(pods.run()).isTrue();
    assertThat(pods.run()).as("what it waits for").isFalse();
    assertThat(left()).contains("pod/db-0", "va-of-lost");
    attacherDetaches();
    assertThat(pods.run()).isTrue();

    assertThat(left()).isEmpty();
    assertThat(pods.run()).isFalse();
  }

  @Test
  void oneOfAllNodesDoesIt() throws Exception {
    assertThat(of("self").run()).isFalse();
    assertThat(of("lost").run()).isFalse();
    assertThat(left()).contains("pod/db-0");
  }

  @Test
  void reportingKubeletEndsItsPodsItself() throws Exception {
    kubeletIs("False");

    assertThat(of("other").run()).isFalse();
    assertThat(left()).contains("pod/db-0");
  }

  @Test
  void withoutThePolicyNothingIsTouched() throws Exception {
    store.delete(Setting.KIND, NodeDownPolicy.SETTING, "");

    assertThat(of("other").run()).isFalse();
    assertThat(left()).contains("pod/db-0");
  }

  @Test
  void policyWithoutAValueTouchesNothing() throws Exception {
    succeed(
        kubectl.run(
            "patch",
            "settings.holdfast.dev",
            NodeDownPolicy.SETTING,
            "--type=merge",
            "-p",
            "{\"spec\":{\"value\":\"\"}}"));

    assertThat(of("other").run()).isFalse();
    assertThat(left()).contains("pod/db-0");
  }

  @Test
  void wrongPolicyIsRefusedWithTheAllowedOnes() throws Exception {
    Kubectl.Result refused =
        kubectl.run(
            "patch",
            "settings.holdfast.dev",
            NodeDownPolicy.SETTING,
            "--type=merge",
            "-p",
            "{\"spec\":{\"value\":\"delete-all\"}}");

    assertThat(refused.code()).isNotZero();
    assertThat(refused.output())
        .contains(NodeDownPolicy.SETTING + " must be do-nothing, delete-statefulset-pod");
  }

  @Test
  void rightsOfTheExampleSufficeAndTheirLackIsReported() throws Exception {
    succeed(kubectl.run("create", "serviceaccount", "holdfast-node", "-n", "holdfast-system"));
    Path account =
        TestCluster.server().kubeconfigOfServiceAccount("holdfast-system", "holdfast-node");
    try (KubernetesConnection ofNode = TestCluster.connect(account)) {
      Clock later = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(1));
      NodeDownPods pods = new NodeDownPods(ofNode, store, later, "other");

      StorageException e = catchThrowableOfType(StorageException.class, pods::run);
      assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(e).hasMessageContaining("node-down.yaml");
      attacherDetaches();
      Path example = KubeTools.tree().resolve("deploy/examples/node-down.yaml");
      succeed(kubectl.run("apply", "-f", example.toString()));
      awaitRights();
      while (pods.run()) {
        Thread.onSpinWait();
      }

      assertThat(left()).isEmpty();
    } finally {
      kubectl.run("delete", "serviceaccount", "holdfast-node", "-n", "holdfast-system");
      kubectl.run("delete", "clusterrole,clusterrolebinding", "holdfast-node-down");
    }
  }

  /** Waits until the server applies roles, which takes some time after the write. */
  private void awaitRights() throws Exception {
    String user = "--as=system:serviceaccount:holdfast-system:holdfast-node";
    while (kubectl.run("auth", "can-i", "delete", "pods", user).code() != 0) {
      Thread.onSpinWait();
    }
  }
}

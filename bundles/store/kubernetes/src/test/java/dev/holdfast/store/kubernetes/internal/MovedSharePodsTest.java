package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.kube.testkit.KubeTools;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pods of a real API server with a mounted share whose endpoint changes. */
@Tag("slow")
class MovedSharePodsTest {
  private static final Instant BEFORE = Instant.parse("2026-11-29T10:00:00Z");
  private static final Instant REQUEST = BEFORE.plusSeconds(60);
  private static final Instant AFTER = REQUEST.plusSeconds(60);
  private static final String OF_NODE = "nfs://10.0.0.2:30100/files";
  private static final String OF_SERVICE = "nfs://10.96.0.7:30100/files";

  private static final String VOLUME =
      """
      apiVersion: v1
      kind: PersistentVolume
      metadata: {name: pv-of-share}
      spec:
        capacity: {storage: 1Gi}
        accessModes: [ReadWriteMany]
        csi: {driver: csi.holdfast.dev, volumeHandle: files}
        claimRef: {namespace: default, name: files}
      """;

  private static final String CONTROLLER =
      """
        ownerReferences:
        - {apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: some, controller: true}
      """;

  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata:
        name: NAME
        namespace: default
      CONTROLLER
      spec:
        automountServiceAccountToken: false
        containers: [{name: main, image: none}]
        volumes: [{name: data, persistentVolumeClaim: {claimName: CLAIM}}]
      """;

  private Kubectl kubectl;
  private KubernetesConnection connection;
  private KubernetesResourceStore store;

  @BeforeEach
  void shareThatHasMoved() throws Exception {
    kubectl = new Kubectl(TestCluster.server().kubeconfig());
    connection = TestCluster.connect(TestCluster.server().kubeconfig());
    store = TestCluster.store(TestCluster.server().kubeconfig());
    TestCluster.clear(store);
    succeed(kubectl.runWith(VOLUME, "apply", "-f", "-"));
    for (String name : List.of("first", "second")) {
      Node node = store.create(Node.of(name, NodeSpec.EMPTY));
      store.updateStatus(
          node.withStatus(
              node.status()
                  .withConditions(
                      Condition.with(
                          List.of(), Condition.READY, Condition.Status.TRUE, "Test", "", BEFORE))));
    }
    Volume volume =
        store.create(
            Volume.of(
                "files",
                VolumeSpec.EMPTY
                    .withSize(Quantity.parse("1Gi"))
                    .withAccessMode(AccessMode.READ_WRITE_MANY)));
    store.updateStatus(volume.withStatus(volume.status().withShareEndpoint(OF_NODE)));
    ShareManager share =
        store.create(ShareManager.of(ShareManagerSpec.EMPTY.withVolume("files").withPort(30100)));
    store.updateStatus(
        share.withStatus(
            share
                .status()
                .withState(InstanceState.RUNNING)
                .withEndpoint(OF_NODE)
                .withRemountRequestedAt(Optional.of(REQUEST))));
    policy("true");
  }

  @AfterEach
  void takeItAway() throws Exception {
    kubectl.run("delete", "pods", "--all", "--force", "--grace-period=0");
    kubectl.run("delete", "pv/pv-of-share", "--wait=false");
    kubectl.run("patch", "pv", "pv-of-share", "-p", "{\"metadata\":{\"finalizers\":null}}");
    TestCluster.clear(store);
    store.close();
    connection.close();
  }

  private void policy(String value) throws StorageException {
    store.create(Setting.of(PlatformSettings.RESTART_MOVED_SHARES.name(), new SettingSpec(value)));
  }

  private static String succeed(Kubectl.Result result) {
    assertThat(result.code()).as(result.output()).isZero();
    return result.output();
  }

  private void pod(String name, String claim, boolean controlled, Instant began) throws Exception {
    pod(name, claim, controlled, "Running", began);
  }

  private void pod(String name, String claim, boolean controlled, String phase, Instant began)
      throws Exception {
    String text =
        POD.replace("CONTROLLER\n", controlled ? CONTROLLER : "")
            .replace("NAME", name)
            .replace("CLAIM", claim);
    succeed(kubectl.runWith(text, "apply", "-f", "-"));
    String status = "{\"status\":{\"phase\":\"" + phase + "\",\"startTime\":\"" + began + "\"}}";
    succeed(kubectl.run("patch", "pod", name, "--subresource=status", "-p", status));
  }

  private List<String> pods() throws Exception {
    return succeed(kubectl.run("get", "pods", "--output=name")).lines().toList();
  }

  private MovedSharePods of(String node) {
    return new MovedSharePods(connection, store, node);
  }

  @Test
  void podThatBeganBeforeTheRequestIsDeletedOnce() throws Exception {
    MovedSharePods policy = of("first");
    pod("web", "files", true, BEFORE);
    assertThat(of("second").run()).isFalse();
    assertThat(pods()).as("another node than the first").containsExactly("pod/web");

    assertThat(policy.run()).isFalse();
    assertThat(pods()).isEmpty();

    pod("web", "files", true, AFTER);
    assertThat(policy.run()).isFalse();
    assertThat(of("first").run()).as("by a process that knows nothing").isFalse();
    assertThat(pods()).as("the pod that took its place").containsExactly("pod/web");
  }

  @Test
  void otherPodsAreNotDeleted() throws Exception {
    pod("bare", "files", false, BEFORE);
    pod("over", "files", true, "Succeeded", BEFORE);
    pod("begins", "files", true, "Pending", BEFORE);
    pod("other", "another-claim", true, BEFORE);
    MovedSharePods policy = of("first");

    assertThat(policy.run()).isFalse();
    assertThat(pods()).containsExactly("pod/bare", "pod/begins", "pod/other", "pod/over");

    pod("begins", "files", true, "Running", BEFORE);
    assertThat(policy.run()).isFalse();
    assertThat(pods()).as("one that began with the former mount").doesNotContain("pod/begins");
  }

  @Test
  void podsStayWhileTheirMountIsKeptOrTheShareDoesNotServe() throws Exception {
    pod("web", "files", true, BEFORE);
    Volume volume = store.get(Volume.KIND, "files").orElseThrow();
    store.updateStatus(volume.withStatus(volume.status().withShareEndpoint(OF_SERVICE)));
    assertThat(of("first").run()).isFalse();
    assertThat(pods()).as("clients of a Service").containsExactly("pod/web");

    Volume changed = store.get(Volume.KIND, "files").orElseThrow();
    store.updateStatus(changed.withStatus(changed.status().withShareEndpoint(OF_NODE)));
    ShareManager share = store.get(ShareManager.KIND, "files").orElseThrow();
    store.updateStatus(share.withStatus(share.status().withState(InstanceState.STARTING)));
    assertThat(of("first").run()).isFalse();
    assertThat(pods()).as("before the share serves").containsExactly("pod/web");
  }

  @Test
  void withoutTheSettingNothingIsTouched() throws Exception {
    pod("web", "files", true, BEFORE);
    store.delete(Setting.KIND, PlatformSettings.RESTART_MOVED_SHARES.name(), "");

    assertThat(of("first").run()).isFalse();
    assertThat(pods()).containsExactly("pod/web");
  }

  @Test
  void rightsOfTheExampleAreEnoughAndAnErrorNamesIt() throws Exception {
    pod("web", "files", true, BEFORE);
    succeed(kubectl.run("create", "serviceaccount", "holdfast-node", "-n", "holdfast-system"));
    Path account =
        TestCluster.server().kubeconfigOfServiceAccount("holdfast-system", "holdfast-node");
    try (KubernetesConnection ofNode = TestCluster.connect(account)) {
      MovedSharePods policy = new MovedSharePods(ofNode, store, "first");
      StorageException e = catchThrowableOfType(StorageException.class, policy::run);
      assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(e).hasMessageContaining("deploy/examples/" + MovedSharePods.EXAMPLE);

      Path example = KubeTools.tree().resolve("deploy/examples/" + MovedSharePods.EXAMPLE);
      succeed(kubectl.run("apply", "-f", example.toString()));
      String user = "--as=system:serviceaccount:holdfast-system:holdfast-node";
      while (kubectl.run("auth", "can-i", "delete", "pods", user).code() != 0) {
        Thread.onSpinWait();
      }
      assertThat(policy.run()).isFalse();
      assertThat(pods()).isEmpty();
    } finally {
      kubectl.run("delete", "serviceaccount", "holdfast-node", "-n", "holdfast-system");
      kubectl.run("delete", "clusterrole,clusterrolebinding", "holdfast-moved-shares");
    }
  }
}

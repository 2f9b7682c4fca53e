package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Claims of a real API server whose labels select recurring jobs. */
@Tag("slow")
class ClaimLabelsTest {
  private static final String NIGHTLY = RecurringJob.jobLabel("nightly");
  private static final String GOLD = RecurringJob.groupLabel("gold");
  private static final String OLD = RecurringJob.jobLabel("old");

  private static final String OBJECTS =
      """
      apiVersion: v1
      kind: PersistentVolume
      metadata: {name: pv-labelled}
      spec:
        capacity: {storage: 1Gi}
        accessModes: [ReadWriteOnce]
        csi: {driver: csi.holdfast.dev, volumeHandle: labelled}
      ---
      apiVersion: v1
      kind: PersistentVolume
      metadata: {name: pv-foreign}
      spec:
        capacity: {storage: 1Gi}
        accessModes: [ReadWriteOnce]
        csi: {driver: csi.example.com, volumeHandle: left-alone}
      ---
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata:
        name: claim-labelled
        namespace: default
        labels: {recurring-job.holdfast.dev/nightly: enabled, app: web}
      spec:
        accessModes: [ReadWriteOnce]
        volumeName: pv-labelled
        resources: {requests: {storage: 1Gi}}
      ---
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata:
        name: claim-foreign
        namespace: default
        labels:
          recurring-job.holdfast.dev/nightly: enabled
          recurring-job.holdfast.dev/source: enabled
      spec:
        accessModes: [ReadWriteOnce]
        volumeName: pv-foreign
        resources: {requests: {storage: 1Gi}}
      """;

  private Kubectl kubectl;
  private KubernetesConnection connection;
  private KubernetesResourceStore store;

  @BeforeEach
  void makeThem() throws Exception {
    kubectl = new Kubectl(TestCluster.server().kubeconfig());
    connection = TestCluster.connect(TestCluster.server().kubeconfig());
    store = TestCluster.store(TestCluster.server().kubeconfig());
    TestCluster.clear(store);
    node("first");
    node("second");
    for (String name : List.of("labelled", "left-alone")) {
      Volume volume = Volume.of(name, VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi")));
      store.create(
          volume.withMetadata(
              volume.metadata().withLabels(Map.of(OLD, RecurringJob.ENABLED, "tier", "db"))));
    }
    succeed(kubectl.runWith(OBJECTS, "apply", "-f", "-"));
  }

  private void node(String name) throws Exception {
    Node node = store.create(Node.of(name, NodeSpec.EMPTY));
    store.updateStatus(
        node.withStatus(
            node.status()
                .withConditions(
                    Condition.with(
                        List.of(),
                        Condition.READY,
                        Condition.Status.TRUE,
                        "Test",
                        "",
                        Instant.EPOCH))));
  }

  @AfterEach
  void takeThemAway() throws Exception {
    String none = "{\"metadata\":{\"finalizers\":null}}";
    for (String object :
        List.of("pvc/claim-labelled", "pvc/claim-foreign", "pv/pv-labelled", "pv/pv-foreign")) {
      kubectl.run("delete", object, "--ignore-not-found", "--wait=false");
      kubectl.run("patch", object, "-p", none);
    }
    TestCluster.clear(store);
    store.close();
    connection.close();
  }

  private static void succeed(Kubectl.Result result) {
    assertThat(result.code()).as(result.output()).isZero();
  }

  private Map<String, String> labels(String volume) throws Exception {
    return store.get(Volume.KIND, volume).orElseThrow().metadata().labels();
  }

  @Test
  void volumeFollowsItsClaimFromTheFirstReadyNode() throws Exception {
    ClaimLabels first = new ClaimLabels(connection, store, "first");
    first.run();
    assertThat(labels("labelled")).as("the claim is not a source").containsKey(OLD);

    String source = RecurringJob.SOURCE_LABEL + "=" + RecurringJob.ENABLED;
    succeed(kubectl.run("label", "pvc/claim-labelled", source));
    new ClaimLabels(connection, store, "second").run();
    assertThat(labels("labelled")).as("another node does nothing").containsKey(OLD);
    first.run();
    assertThat(labels("labelled")).isEqualTo(Map.of(NIGHTLY, RecurringJob.ENABLED, "tier", "db"));

    succeed(kubectl.run("label", "pvc/claim-labelled", NIGHTLY + "-", GOLD + "=enabled"));
    first.run();
    assertThat(labels("labelled")).isEqualTo(Map.of(GOLD, RecurringJob.ENABLED, "tier", "db"));
    assertThat(labels("left-alone")).as("a volume of another driver's name").containsKey(OLD);
  }
}

package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.WorkloadTickets;
import dev.holdfast.store.WorkloadAttachments.Attached;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real API server with VolumeAttachments of Kubernetes. */
@Tag("slow")
class KubernetesAttachmentsTest {
  private static final String GOING = "v-going";

  private final List<String> made = new ArrayList<>();
  private Kubectl kubectl;
  private KubernetesConnection connection;

  @BeforeEach
  void connect() throws Exception {
    kubectl = new Kubectl(TestCluster.server().kubeconfig());
    connection = TestCluster.connect(TestCluster.server().kubeconfig());
  }

  @AfterEach
  void takeItAway() throws Exception {
    for (String name : made) {
      String none = "{\"metadata\":{\"finalizers\":null}}";
      kubectl.run("patch", "volumeattachments.storage.k8s.io", name, "-p", none);
      kubectl.run("delete", "volumeattachments.storage.k8s.io", name, "--ignore-not-found");
    }
    connection.close();
  }

  private void attach(String volume, String node, String driver) throws Exception {
    String name = WorkloadTickets.id(volume, node);
    made.add(name);
    Kubectl.Result result =
        kubectl.runWith(
            """
            apiVersion: storage.k8s.io/v1
            kind: VolumeAttachment
            metadata: {name: %s, finalizers: [example.com/attacher]}
            spec:
              attacher: %s
              nodeName: %s
              source: {persistentVolumeName: pv-of-%s}
            """
                .formatted(name, driver, node, volume),
            "apply",
            "-f",
            "-");
    assertThat(result.code()).as(result.output()).isZero();
  }

  private List<Attached> of(String volume) throws StorageException {
    return new KubernetesAttachments(connection).of(volume);
  }

  @Test
  void attachmentsOfTheDriverAreFoundUntilTheyAreBeingRemoved() throws Exception {
    attach("v", "n2", "csi.holdfast.dev");
    attach("v", "n1", "csi.holdfast.dev");
    attach("v", "n3", "csi.example.com");
    attach(GOING, "n1", "csi.holdfast.dev");
    assertThat(of("v"))
        .containsExactly(
            new Attached(WorkloadTickets.id("v", "n1"), "n1"),
            new Attached(WorkloadTickets.id("v", "n2"), "n2"));
    assertThat(of(GOING)).hasSize(1);

    kubectl.run(
        "delete",
        "volumeattachments.storage.k8s.io",
        WorkloadTickets.id(GOING, "n1"),
        "--wait=false");

    assertThat(of(GOING)).isEmpty();
    assertThat(of("other")).isEmpty();
  }

  @Test
  void refusedRequestNamesTheRole() throws Exception {
    kubectl.run("create", "serviceaccount", "rightless", "-n", "holdfast-system");
    try (KubernetesConnection rightless =
        TestCluster.connect(
            TestCluster.server().kubeconfigOfServiceAccount("holdfast-system", "rightless"))) {
      StorageException e =
          catchThrowableOfType(
              StorageException.class, () -> new KubernetesAttachments(rightless).of("v"));
      assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(e).hasMessageContainingAll("volume v", "holdfast-node");
    } finally {
      kubectl.run("delete", "serviceaccount", "rightless", "-n", "holdfast-system");
    }
  }
}

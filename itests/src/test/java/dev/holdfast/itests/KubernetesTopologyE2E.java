package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The nodes on which volumes are created and on which their pods may run, in a real Kubernetes. */
@Tag("soak")
class KubernetesTopologyE2E extends InSandbox {
  private static final String LOCAL = "{numberOfReplicas: '1', dataLocality: strict-local}";

  @Test
  void aLocalVolumeThatIsMadeAtOnceIsMadeWhereItsClassAllows() {
    sandbox.apply(Manifests.storageClass("there", "Immediate", LOCAL, "node-3"));
    sandbox.apply(Manifests.claimOf("early", "there"));
    sandbox.await("pvc", "early", pvc -> pvc.at("/status/phase").asText().equals("Bound"));

    sandbox.apply(Manifests.idleAnywhere("late", "early"));
    JsonNode pod = sandbox.awaitRunning("late");

    assertThat(nodeOfData("early")).isEqualTo("node-3");
    assertThat(pod.at("/spec/nodeName").asText()).isEqualTo("node-3");
    sandbox.delete("pod", "late");
    sandbox.deleteClaim("early");
    sandbox.delete("storageclass", "there");
  }

  private static String nodeOfData(String claim) {
    String volume = sandbox.volumeOf(claim);
    for (JsonNode replica : sandbox.objects("replicas.holdfast.dev")) {
      if (replica.at("/spec/volume").asText().equals(volume)) {
        return replica.at("/spec/nodeID").asText();
      }
    }
    throw new AssertionError("volume " + volume + " has no replica");
  }
}

package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.json.ResourceJson;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Services of a real API server that follow a server from node to node. */
@Tag("slow")
class KubernetesServicesTest {
  private static final String NAMESPACE = "holdfast-system";
  private static final String VOLUME = "pvc-films";

  private Kubectl kubectl;
  private KubernetesConnection connection;
  private KubernetesServices services;

  @BeforeEach
  void connect() throws Exception {
    kubectl = new Kubectl(TestCluster.server().kubeconfig());
    connection = TestCluster.connect(TestCluster.server().kubeconfig());
    services = new KubernetesServices(connection, new ResourceJson());
  }

  @AfterEach
  void takeItAway() throws Exception {
    kubectl.run("delete", "service", VOLUME, "-n", NAMESPACE, "--ignore-not-found");
    connection.close();
  }

  private String get(String kind, String path) throws Exception {
    return kubectl
        .run("get", kind, VOLUME, "-n", NAMESPACE, "-o", "jsonpath={" + path + "}")
        .output();
  }

  @Test
  void addressStaysWhileTheServerMoves() throws Exception {
    String first = services.direct(VOLUME, "10.1.0.1", 20_490).orElseThrow();
    assertThat(first).endsWith(":2049").isEqualTo(get("service", ".spec.clusterIP") + ":2049");
    assertThat(get("service", ".spec.selector")).isEmpty();
    assertThat(get("endpointslice", ".endpoints[*].addresses")).isEqualTo("[\"10.1.0.1\"]");
    assertThat(get("endpointslice", ".ports[*].port")).isEqualTo("20490");

    assertThat(services.direct(VOLUME, "10.1.0.2", 20_491)).contains(first);
    assertThat(get("endpointslice", ".endpoints[*].addresses")).isEqualTo("[\"10.1.0.2\"]");
    assertThat(get("endpointslice", ".ports[*].port")).isEqualTo("20491");
    assertThat(services.direct(VOLUME, "10.1.0.2", 20_491)).contains(first);

    services.remove(VOLUME);
    services.remove(VOLUME);
    assertThat(get("service", ".metadata.name")).doesNotStartWith(VOLUME);
    assertThat(get("endpointslice", ".metadata.name")).doesNotStartWith(VOLUME);
  }

  @Test
  void serviceOfAnotherOwnerIsNotChanged() throws Exception {
    kubectl.run("create", "service", "clusterip", VOLUME, "--tcp=80", "-n", NAMESPACE);
    StorageException e =
        catchThrowableOfType(
            StorageException.class, () -> services.direct(VOLUME, "10.1.0.1", 20_490));
    assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
    assertThat(e).hasMessageContainingAll(VOLUME, "belongs to another owner");
    services.remove(VOLUME);
    assertThat(get("service", ".metadata.name")).isEqualTo(VOLUME);
  }

  @Test
  void addressesThatKubernetesRefusesHaveNoService() throws Exception {
    assertThat(services.direct(VOLUME, "127.0.0.1", 20_490)).isEmpty();
    assertThat(services.direct(VOLUME, "fe80::1", 20_490)).isEmpty();
    assertThat(services.direct(VOLUME, "node.example.com", 20_490)).isEmpty();
    assertThat(get("service", ".metadata.name")).doesNotStartWith(VOLUME);
  }

  @Test
  void namesThatAreInvalidForServicesAreReplaced() {
    assertThat(KubernetesServices.objectName(VOLUME)).isEqualTo(VOLUME);
    assertThat(KubernetesServices.objectName("a.b")).matches("share-[0-9a-f]{32}");
    assertThat(KubernetesServices.objectName("1a")).startsWith("share-");
    assertThat(KubernetesServices.objectName("a".repeat(64))).startsWith("share-");
  }
}

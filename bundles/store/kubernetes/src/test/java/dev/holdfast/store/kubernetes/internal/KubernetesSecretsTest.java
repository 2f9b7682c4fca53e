package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.json.ResourceJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Secrets that nodes agree on, in a real API server. */
@Tag("slow")
class KubernetesSecretsTest {
  private static KubernetesSecrets secrets(KubernetesConnection connection) {
    return new KubernetesSecrets(connection, new ResourceJson());
  }

  @Test
  void allNodesGetTheValueOfTheFirstNode() throws Exception {
    ExecutorService nodes = Executors.newFixedThreadPool(8);
    try (KubernetesConnection connection = TestCluster.connect(TestCluster.server().kubeconfig())) {
      List<Future<Map<String, String>>> answers = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Map<String, String> offered = Map.of("tls.crt", "of " + i + "\n", "tls.key", "é");
        answers.add(nodes.submit(() -> secrets(connection).agree("of-test", offered)));
      }
      Set<Map<String, String>> different = new HashSet<>();
      for (Future<Map<String, String>> answer : answers) {
        different.add(answer.get());
      }

      assertThat(different).hasSize(1);
      assertThat(different.iterator().next()).containsEntry("tls.key", "é");
    } finally {
      nodes.shutdownNow();
    }
  }

  @Test
  void missingRightToReadIsReported() throws Exception {
    try (KubernetesConnection connection =
        TestCluster.connect(TestCluster.server().kubeconfigOfTester())) {
      StorageException e =
          catchThrowableOfType(
              StorageException.class, () -> secrets(connection).agree("of-test", Map.of()));

      assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(e).hasMessageContaining("holdfast-of-test");
    }
  }

  @Test
  void secretOfAUserIsReadByItsName() throws Exception {
    try (KubernetesConnection connection = TestCluster.connect(TestCluster.server().kubeconfig())) {
      KubernetesSecrets secrets = secrets(connection);
      assertThat(secrets.read("bucket")).isEmpty();
      assertThat(
              connection
                  .send(
                      "POST",
                      "/api/v1/namespaces/" + connection.namespace() + "/secrets",
                      "application/json",
                      Optional.of(
                          """
                          {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "bucket"},
                           "data": {"AWS_ACCESS_KEY_ID": "aWQ="}}
                          """))
                  .isSuccess())
          .isTrue();
      assertThat(secrets.read("bucket").orElseThrow().get("AWS_ACCESS_KEY_ID"))
          .asString(StandardCharsets.UTF_8)
          .isEqualTo("id");
      for (String wrong : List.of("holdfast-authority", "../pods", "Bucket", "")) {
        assertThat(catchThrowableOfType(StorageException.class, () -> secrets.read(wrong)).code())
            .as(wrong)
            .isEqualTo(ErrorCode.INVALID);
      }
    }
  }

  @Test
  void errorOfAnUnreadableSecretNamesTheRemedy() throws Exception {
    try (KubernetesConnection connection =
        TestCluster.connect(TestCluster.server().kubeconfigOfTester())) {
      StorageException e =
          catchThrowableOfType(
              StorageException.class, () -> secrets(connection).read("of-another-team"));

      assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(e)
          .hasMessageContaining(
              "add the name to backups.secrets or shares.secrets of the chart's values");
    }
  }
}

package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kube.testkit.KubeApiServer;
import dev.holdfast.kube.testkit.KubeTools;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Base of tests with a real API server to which the content of {@code deploy} was applied. */
abstract class DeployFixture {
  static final String NAMESPACE = "holdfast-system";

  @TempDir static Path directory;
  static Path deploy;
  static Path manifests;
  static KubeApiServer server;
  static Kubectl kubectl;

  @BeforeAll
  static void apply() throws Exception {
    deploy = KubeTools.tree().resolve("deploy");
    manifests = deploy.resolve("manifests/holdfast.yaml");
    server = KubeApiServer.start(directory, "--allow-privileged");
    kubectl = new Kubectl(server.kubeconfig());
    succeed("create", "namespace", NAMESPACE, "--save-config");
    succeed("apply", "-f", deploy.resolve("crds").toString());
    succeed("create", "-f", KubeTools.program("snapshot-resources").toString());
    succeed("apply", "-f", manifests.toString());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  static String succeed(String... arguments) throws IOException, InterruptedException {
    Kubectl.Result result = kubectl.run(arguments);
    assertThat(result.code()).as(result.output()).isZero();
    return result.output();
  }
}

package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.kube.testkit.KubeTools;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Helm's output for the chart with various values. The test builds Helm, which takes some minutes.
 */
@Tag("soak")
class ChartTest extends DeployFixture {
  @Test
  void manifestsMatchTheRenderedChart() throws Exception {
    assertThat(output(deploy.resolve("render")))
        .as("deploy/render > deploy/manifests/holdfast.yaml")
        .isEqualTo(Files.readString(manifests));
  }

  @Test
  void helmLintReportsNoProblem() throws Exception {
    Path helm = KubeTools.program("helm");

    assertThat(output(helm, "lint", "--strict", deploy.resolve("chart").toString()))
        .contains("0 chart(s) failed")
        .doesNotContain("[WARNING]");
  }

  @Test
  void otherValuesAreTakenToo() throws Exception {
    String leanest =
        output(
            deploy.resolve("render"),
            "--set=storageClass.create=false,rbac.definitions=false,priorityClasses.create=false",
            "--set=csi.snapshotter.enabled=false,storageClass.isDefault=true",
            "--set=node.extraArgs={--disks=2},imagePullSecrets[0].name=secret",
            "--set=node.extraEnv[0].name=HOLDFAST_JAVA_OPTS,node.extraEnv[0].value=-Xmx1g",
            "--set=backups.secrets={bucket},shares.secrets={volume-key}",
            "--set=image.tag=other,node.affinity.nodeAffinity=null");

    assertThat(leanest)
        .contains("image: \"holdfast:other\"", "resourceNames: [\"bucket\",\"volume-key\"]")
        .doesNotContain("snapshotter", "PriorityClass\n", "apiextensions", "kind: StorageClass");
    Kubectl.Result taken = kubectl.runWith(leanest, "apply", "--dry-run=server", "-f", "-");
    assertThat(taken.code()).as(taken.output()).isZero();
  }

  @Test
  void withAnEtcdNodesHaveNoRightsInKubernetes() throws Exception {
    String overEtcd =
        output(
            deploy.resolve("render"),
            "--set=store.kind=etcd,store.etcd.endpoints={https://a:2379,https://b:2379}",
            "--set=store.etcd.secretName=client,priorityClasses.create=true");

    assertThat(overEtcd)
        .contains(
            "- --store=etcd\n            - --endpoints=https://a:2379,https://b:2379\n",
            "- --etcd-key=/etc/holdfast/etcd/tls.key\n",
            "secretName: client\n",
            "automountServiceAccountToken: false\n")
        .doesNotContain("--store=kubernetes", "--etcd-user", "apiGroups: [holdfast.dev]");
    Kubectl.Result taken = kubectl.runWith(overEtcd, "apply", "--dry-run=server", "-f", "-");
    assertThat(taken.code()).as(taken.output()).isZero();
  }

  @Test
  void aStoreThatThereIsNotIsRefusedByName() throws Exception {
    assertThat(refusal("store.kind=consul"))
        .contains("store.kind is \"consul\"; there are kubernetes and etcd");
    assertThat(refusal("store.kind=etcd")).contains("store.etcd.endpoints");
  }

  @Test
  void etcdWithoutTlsNeedsAnExplicitValue() throws Exception {
    String etcd = "store.kind=etcd,store.etcd.endpoints={http://a:2379}";

    assertThat(refusal(etcd)).contains("store.etcd.secretName is empty");
    assertThat(output(deploy.resolve("render"), "--set=" + etcd + ",store.etcd.insecure=true"))
        .contains("- --endpoints=http://a:2379");
  }

  @Test
  void valueThatTheChartDoesNotHaveIsRefusedByName() throws Exception {
    assertThat(refusal("node.dataDirectory=/data")).contains("dataDirectory", "not allowed");
    assertThat(refusal("node.ports.nbd=70000")).contains("/node/ports/nbd", "maximum");
  }

  @Test
  void notesNameTheNextCommands() throws Exception {
    String notes =
        output(
            KubeTools.program("helm"),
            "install",
            "holdfast",
            deploy.resolve("chart").toString(),
            "--dry-run=client",
            "--take-ownership",
            "--namespace=" + NAMESPACE,
            "--kubeconfig=" + server.kubeconfig(),
            "--set=storageClass.isDefault=true");

    assertThat(notes).contains("StorageClass holdfast, which is the default", "health");
  }

  @Test
  void serverAcceptsTheObjectsOfHelmTest() throws Exception {
    String objects =
        output(
            KubeTools.program("helm"),
            "template",
            "holdfast",
            deploy.resolve("chart").toString(),
            "--namespace=" + NAMESPACE,
            "--show-only=templates/test-volume.yaml");

    Kubectl.Result taken = kubectl.runWith(objects, "apply", "--dry-run=server", "-f", "-");
    assertThat(taken.code()).as(taken.output()).isZero();
    assertThat(taken.output())
        .contains("persistentvolumeclaim/holdfast-test-volume", "pod/holdfast-test-volume")
        .doesNotContain("Warning");
  }

  @Test
  void ingressNeedsItsHostAndItsService() throws Exception {
    String ingress = "page.ingress.create=true";

    assertThat(refusal(ingress)).contains("page.ingress.host is empty");
    assertThat(refusal(ingress + ",page.ingress.host=h.example,page.service.create=false"))
        .contains("page.ingress.create needs page.service.create=true");
    String manifests =
        output(
            deploy.resolve("render"),
            "--set=" + ingress + ",page.ingress.host=h.example,page.ingress.tlsSecretName=cert",
            "--show-only=templates/page.yaml");
    Kubectl.Result taken = kubectl.runWith(manifests, "apply", "--dry-run=server", "-f", "-");
    assertThat(taken.code()).as(taken.output()).isZero();
  }

  /** The Prometheus operator is absent, so the monitors are only rendered. */
  @Test
  void sidecarsServeTheirSeriesToScrapersOnly() throws Exception {
    String monitored =
        output(
            deploy.resolve("render"),
            "--set=monitoring.podMonitor.enabled=true,monitoring.podMonitor.secretName=scraper",
            "--set=csi.snapshotter.enabled=false");

    assertThat(monitored)
        .contains("- --http-endpoint=:8080\n", "name: provisioner\n", "kind: PodMonitor\n")
        .contains("jobLabel: app.kubernetes.io/name\n", "name: scraper\n")
        .doesNotContain(":8083", "port: snapshotter");
    assertThat(Files.readString(manifests)).contains("ingress: []").doesNotContain("http-endpoint");
    assertThat(refusal("monitoring.podMonitor.enabled=true"))
        .contains("monitoring.podMonitor.secretName is empty");
  }

  private static String refusal(String value) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(deploy.resolve("render").toString(), "--set=" + value)
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isNotZero();
    return output;
  }

  private static String output(Path program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    Path errors = Files.createTempFile(directory, "errors", "");
    Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(output + Files.readString(errors)).isZero();
    return output;
  }
}

package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The chart and the manifests in {@code deploy}, checked by Helm and a real API server. */
@Tag("slow")
class DeployedManifestsTest extends DeployFixture {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Waits until the server applies roles, which takes some time after the write. */
  @BeforeAll
  static void awaitRights() throws Exception {
    for (String role : List.of("view", "edit", "admin")) {
      // The controller that aggregates the rules into the roles of Kubernetes does not run here.
      succeed(
          "create",
          "clusterrolebinding",
          "user-" + role,
          "--clusterrole=holdfast-" + role,
          "--serviceaccount=" + NAMESPACE + ":user-" + role);
    }
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (!wrongAnswers().isEmpty() && System.nanoTime() < deadline) {
      Thread.onSpinWait();
    }
  }

  /**
   * Works without Helm, whose build takes more than a minute: the manifests contain the digest of
   * their chart.
   */
  @Test
  void theManifestsAreOfThisChart() throws Exception {
    Path chart = deploy.resolve("chart");
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    digest.update(Files.readAllBytes(chart.resolve("Chart.yaml")));
    digest.update(Files.readAllBytes(chart.resolve("values.yaml")));
    for (Path template : sorted(chart.resolve("templates"))) {
      digest.update(Files.readAllBytes(template));
    }
    for (Path definition : sorted(deploy.resolve("crds"))) {
      digest.update((definition.getFileName() + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    assertThat(Files.readString(manifests))
        .as("deploy/render > deploy/manifests/holdfast.yaml")
        .contains("# chart: " + HexFormat.of().formatHex(digest.digest()));
  }

  private static List<Path> sorted(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  @Test
  void serverAcceptsManifestsAndExamples() throws Exception {
    String taken = succeed("apply", "--dry-run=server", "-f", manifests.toString());
    for (String object :
        List.of(
            "daemonset.apps/holdfast-node",
            "deployment.apps/holdfast-controller",
            "poddisruptionbudget.policy/holdfast-controller",
            "networkpolicy.networking.k8s.io/holdfast-controller",
            "service/holdfast",
            "storageclass.storage.k8s.io/holdfast",
            "csidriver.storage.k8s.io/csi.holdfast.dev")) {
      assertThat(taken).containsPattern(object + " [a-z]+ .server dry run.");
    }
    assertThat(taken).doesNotContain("Warning");
    for (Path example : sorted(deploy.resolve("examples"))) {
      assertThat(succeed("apply", "--dry-run=server", "-f", example.toString()))
          .contains("dry run");
    }
  }

  /** Uses its own token with the rights of the manifests only. */
  @Test
  void nodeHasTheRightsThatItsStoreNeeds() throws Exception {
    Path account = server.kubeconfigOfServiceAccount(NAMESPACE, "holdfast-node");
    ResourceJson json = new ResourceJson();
    try (KubernetesConnection connection =
            KubernetesConnection.open(Optional.of(account), Optional.of(NAMESPACE), json);
        KubernetesResourceStore store =
            new KubernetesResourceStore(connection, json, Clock.systemUTC())) {
      Installation later = new Installation(connection, json, KindCatalogue.load(), "9.9.9");
      while (!later.run()) {
        Thread.onSpinWait();
      }
      succeed("delete", "crd", "snapshots.holdfast.dev");
      while (!later.run()) {
        Thread.onSpinWait();
      }
      new KubernetesSecrets(connection, json).agree("authority", Map.of("tls.crt", "x"));
      Watch watch = store.watch(Setting.KIND, version(store), new Ignored());
      Setting setting = store.create(Setting.of("mine", new SettingSpec("1")));
      store.update(setting.withSpec(new SettingSpec("2")));
      store.delete(Setting.KIND, "mine", "");
      watch.close();
    }
  }

  private static String version(KubernetesResourceStore store) throws Exception {
    return store.list(Setting.KIND, LabelSelector.ALL).resourceVersion();
  }

  private static final class Ignored implements WatchListener<Setting> {
    @Override
    public void changed(WatchEvent<Setting> event) {
      // Only the permission is tested.
    }

    @Override
    public void ended(dev.holdfast.error.StorageException cause) {
      // Only the permission is tested.
    }
  }

  @Test
  void kubernetesAddsTheRolesOfUsersToItsOwn() throws Exception {
    for (String role : List.of("view", "edit", "admin")) {
      assertThat(succeed("get", "clusterrole", role, "-o", "jsonpath={.aggregationRule}"))
          .contains("aggregate-to-" + role);
      assertThat(
              succeed(
                  "get", "clusterrole", "holdfast-" + role, "-o", "jsonpath={.metadata.labels}"))
          .contains("aggregate-to-" + role);
    }
  }

  @Test
  void everyAccountHasOnlyTheRightsThatItNeeds() throws Exception {
    assertThat(wrongAnswers()).isEmpty();
  }

  /**
   * Returns wrong answers. Each line has an account, verb, resource with its group, namespace, name
   * and answer.
   */
  private static List<String> wrongAnswers() throws Exception {
    List<String> asked = new ArrayList<>();
    StringBuilder reviews = new StringBuilder();
    for (String line : resource("rights.txt").lines().toList()) {
      String[] words = line.strip().split(" +", -1);
      if (words.length == 6 && !line.startsWith("#")) {
        asked.add(line);
        reviews.append("---\n").append(review(words)).append('\n');
      }
    }
    Kubectl.Result answers =
        kubectl.runWith(
            reviews.toString(), "create", "-f", "-", "-o", "jsonpath={.status.allowed}{'\\n'}");
    assertThat(answers.code()).as(answers.output()).isZero();
    List<String> allowed = answers.output().lines().toList();
    assertThat(allowed).hasSameSizeAs(asked).hasSizeGreaterThan(80);
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < asked.size(); i++) {
      if (allowed.get(i).equals("true") != asked.get(i).endsWith(" yes")) {
        wrong.add(asked.get(i));
      }
    }
    return wrong;
  }

  private static String resource(String name) throws IOException {
    try (var in = DeployedManifestsTest.class.getResourceAsStream("/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Returns the API server's review of a request. */
  private static String review(String[] words) throws IOException {
    ObjectNode review = MAPPER.createObjectNode();
    review.put("apiVersion", "authorization.k8s.io/v1").put("kind", "SubjectAccessReview");
    ObjectNode spec = review.putObject("spec");
    spec.put("user", "system:serviceaccount:" + NAMESPACE + ":" + words[0]);
    ArrayNode groups = spec.putArray("groups");
    groups.add("system:serviceaccounts").add("system:serviceaccounts:" + NAMESPACE);
    String[] resource = words[2].split("@", -1);
    String[] parts = resource[0].split("/", -1);
    ObjectNode attributes = spec.putObject("resourceAttributes");
    attributes.put("verb", words[1]).put("resource", parts[0]).put("group", resource[1]);
    attributes.put("subresource", parts.length > 1 ? parts[1] : "");
    attributes.put("namespace", words[3].equals("-") ? "" : words[3]);
    attributes.put("name", words[4].equals("-") ? "" : words[4]);
    return MAPPER.writeValueAsString(review);
  }
}

package dev.holdfast.apiserver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.ManagedFields;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.Volume;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code kubectl apply --server-side}, and raw bodies. */
@Tag("slow")
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class KubectlApplyPeerTest {
  private static final String VOLUMES = "/apis/holdfast.dev/v1/volumes";

  @TempDir Path directory;
  private TestServer server;

  static List<Kubectl> kubectls() throws Exception {
    return Kubectl.all();
  }

  @BeforeEach
  void start() throws Exception {
    server = new TestServer(directory);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String volume(String spec) {
    return "apiVersion: holdfast.dev/v1\nkind: Volume\nmetadata:\n  name: demo\nspec:\n" + spec;
  }

  private Kubectl.Result apply(Kubectl kubectl, String spec, String... options) throws Exception {
    String[] arguments = new String[options.length + 4];
    arguments[0] = "apply";
    arguments[1] = "--server-side";
    System.arraycopy(options, 0, arguments, 2, options.length);
    arguments[options.length + 2] = "-f";
    arguments[options.length + 3] = "-";
    return kubectl.runWith(volume(spec), server, arguments);
  }

  private Volume stored() throws Exception {
    return server.store().get(Volume.KIND, "demo").orElseThrow();
  }

  private List<String> managers() throws Exception {
    return stored().metadata().managedFields().stream().map(ManagedFields::manager).toList();
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void appliesAndNamesConflictsAndForces(Kubectl kubectl) throws Exception {
    assertThat(apply(kubectl, "  size: 1Gi\n  numberOfReplicas: 2\n").succeeds().out())
        .contains("serverside-applied");
    String patch = "{\"spec\":{\"size\":\"2Gi\"}}";
    kubectl
        .run(server, "patch", "volume", "demo", "--type=merge", "-p", patch, "--field-manager=ann")
        .succeeds();
    Kubectl.Result refused = apply(kubectl, "  size: 3Gi\n  numberOfReplicas: 2\n").fails();
    assertThat(refused.err())
        .contains("Apply failed with 1 conflict: conflict with \"ann\"")
        .contains(".spec.size")
        .contains("--force-conflicts");
    apply(kubectl, "  size: 3Gi\n", "--force-conflicts").succeeds();
    assertThat(stored().spec().size()).isEqualTo(Quantity.parse("3Gi"));
    assertThat(stored().spec().numberOfReplicas()).isEqualTo(3);
    assertThat(managers()).containsExactly("kubectl");
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void severalManagersShareAVolume(Kubectl kubectl) throws Exception {
    apply(kubectl, "  size: 1Gi\n", "--field-manager=ann").succeeds();
    apply(kubectl, "  numberOfReplicas: 1\n", "--field-manager=bob").succeeds();
    apply(kubectl, "  size: 1Gi\n  diskSelector: [ssd]\n", "--field-manager=ann").succeeds();
    assertThat(stored().spec().numberOfReplicas()).isEqualTo(1);
    assertThat(managers()).containsExactlyInAnyOrder("ann", "bob");
    apply(kubectl, "  size: 1Gi\n", "--field-manager=ann").succeeds();
    assertThat(stored().spec().diskSelector()).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void clientSideApplyAndServerSideApplyCanFollowEachOther(Kubectl kubectl) throws Exception {
    String spec = "  size: 1Gi\n  diskSelector: [ssd]\n";
    kubectl.runWith(volume(spec), server, "apply", "-f", "-").succeeds();
    Volume made = stored();
    server.store().update(made.withSpec(made.spec().withNodeID("node-1")));
    apply(kubectl, "  size: 2Gi\n  diskSelector: [ssd]\n").succeeds();
    assertThat(stored().spec().size()).isEqualTo(Quantity.parse("2Gi"));
    apply(kubectl, "  size: 2Gi\n").succeeds();
    assertThat(stored().spec().nodeID()).as("what a controller wrote").isEqualTo("node-1");
    kubectl.runWith(volume("  size: 4Gi\n"), server, "apply", "-f", "-").succeeds();
    assertThat(stored().spec().size()).isEqualTo(Quantity.parse("4Gi"));
    assertThat(stored().spec().nodeID()).isEqualTo("node-1");
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void aDryRunOfTheServerKeepsNothing(Kubectl kubectl) throws Exception {
    apply(kubectl, "  size: 1Gi\n", "--dry-run=server").succeeds();
    assertThat(server.store().get(Volume.KIND, "demo")).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kubectls")
  void rawBodiesAreTakenAsTheyAre(Kubectl kubectl) throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("demo.json"),
            ApiClient.volume("\"name\":\"demo\"", "\"size\":\"1Gi\""));
    kubectl.run(server, "create", "--raw", VOLUMES, "-f", file.toString()).succeeds();
    assertThat(stored().spec().size()).isEqualTo(Quantity.parse("1Gi"));
  }
}

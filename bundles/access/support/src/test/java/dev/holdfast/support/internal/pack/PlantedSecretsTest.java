package dev.holdfast.support.internal.pack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.AccessToken;
import dev.holdfast.access.AccessTokenSpec;
import dev.holdfast.health.HealthReport;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.cluster.Event;
import dev.holdfast.resource.cluster.EventSpec;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Thirty secrets in the files, logs and resources of a node: none is in its bundle. */
class PlantedSecretsTest {
  private static final Instant NOW = Instant.parse("2026-11-28T12:00:00Z");
  private static final String LINE = "2026-11-28T11:59:00.000Z INFO  [films||] Test (main): ";

  @TempDir private Path data;
  private final Random random = new Random(7);
  private final List<String> planted = new ArrayList<>();
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final StringBuilder log = new StringBuilder();

  @AfterEach
  void close() {
    store.close();
  }

  private String secret() {
    byte[] bytes = new byte[18];
    random.nextBytes(bytes);
    String text = Base64.getUrlEncoder().encodeToString(bytes).replace('-', 'x').replace('_', 'y');
    planted.add(text);
    return text;
  }

  private String file(String name, String before, String after) throws IOException {
    String secret = secret();
    Path file = data.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, before + secret + after);
    return secret;
  }

  private void logged(String text) {
    log.append(LINE).append(text).append('\n');
  }

  @BeforeEach
  void plant() throws Exception {
    // Secrets of the node's files, each repeated by a careless line of the log.
    logged("the token is " + file("token", "", "\n"));
    logged("sent " + file("kubeconfig", "users:\n- user:\n    token: ", "\n"));
    logged("key " + file("tls/server.key", "-----BEGIN PRIVATE KEY-----\n", "\n-----END PRIVATE"));
    logged("key " + file("tls/ca.key", "-----BEGIN PRIVATE KEY-----\n", "\n-----END PRIVATE KEY"));
    logged("target " + file("secrets/aws/AWS_SECRET_ACCESS_KEY", "", ""));
    logged("target " + file("secrets/aws/AWS_ACCESS_KEY_ID", "", ""));
    logged("chap " + file("secrets/chap/password", "", "\n"));
    logged("env " + file("holdfast.env", "ETCD_PASSWORD=", "\n"));
    logged("ssh " + file("karaf/etc/users.properties", "karaf.password = ", "\n"));
    logged("file " + file("cluster/join-password", "", "\n"));
    String encoded = file("secrets/nvme/psk", "", "");
    logged(
        "base64 " + Base64.getEncoder().encodeToString(encoded.getBytes(StandardCharsets.UTF_8)));
    // Credentials that no file of the node holds.
    logged("Authorization: Bearer " + secret());
    logged("header {\"Authorization\":\"Basic " + secret() + "\"}");
    logged("connects to https://admin:" + secret() + "@etcd.example:2379");
    logged("starts iscsiadm --password " + secret() + " --login");
    logged("mount with -o passphrase=" + secret() + ",ro");
    logged("token hf_" + secret());
    logged("uses NVMeTLSkey-1:01:" + secret() + ":");
    logged("uses DHHC-1:00:" + secret() + ":");
    logged("signed by eyJ" + secret() + ".eyJ" + secret() + "." + secret());
    logged("CHAP_SECRET='" + secret() + "'");
    logged("secret_key: \"" + secret() + "\"");
    logged("api-key=" + secret());
    logged(
        "reads\n-----BEGIN RSA PRIVATE KEY-----\n" + secret() + "\n-----END RSA PRIVATE KEY-----");
    Files.createDirectories(data.resolve("log"));
    Files.writeString(data.resolve("log/holdfast.log"), log);
    // Resources.
    store.create(
        AccessToken.of(
            "ci", AccessTokenSpec.EMPTY.withRole("view").withSecretHash(hash(secret()))));
    store.create(Setting.of("acme.admin-password", new SettingSpec("password=" + secret())));
    Volume volume = Volume.of("films", VolumeSpec.EMPTY);
    store.create(Setting.of("acme.url", new SettingSpec("s3://key:" + secret() + "@bucket")));
    store.create(
        Event.of(
            "films.1",
            EventSpec.EMPTY.withReason("Failed").withMessage("login with token=" + secret())));
    assertThat(volume.name()).isEqualTo("films");
    assertThat(planted).hasSizeGreaterThanOrEqualTo(30);
  }

  private static String hash(String secret) {
    return (secret + "0".repeat(64))
        .toLowerCase(java.util.Locale.ROOT)
        .replaceAll("[^0-9a-f]", "a")
        .substring(0, 64);
  }

  private Map<String, String> bundle(SecretFilterChoice choice) throws IOException {
    Map<String, String> files = new LinkedHashMap<>();
    HealthReport health = List::of;
    NodePart part =
        new NodePart(
            data,
            List.of(
                new LogFacts("logs", data.resolve("log"), "*.log*"),
                new HostFacts(data),
                new RuntimeFacts(() -> "bundles", () -> {}),
                (request, filter, sink) ->
                    sink.entry("metrics.txt", choice.apply(filter, "m 1\n" + planted.get(0)))),
            InstantSource.fixed(NOW));
    part.collect(
        new SupportRequest(NOW.minusSeconds(3600), Optional.empty(), List.of()),
        (name, content) -> files.put(name, new String(content, StandardCharsets.UTF_8)),
        List.of(new ClusterFacts(store, KindCatalogue.load(), health)));
    return files;
  }

  /** Whether a source removes secrets. */
  @FunctionalInterface
  private interface SecretFilterChoice {
    byte[] apply(SecretFilter filter, String text);
  }

  private static byte[] filtered(SecretFilter filter, String text) {
    return filter.redact(text).getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void noPlantedSecretIsInTheBundle() throws Exception {
    Map<String, String> files = bundle(PlantedSecretsTest::filtered);

    for (String secret : planted) {
      assertThat(files)
          .allSatisfy((name, text) -> assertThat(text).as(name).doesNotContain(secret));
    }
    assertThat(files.get("omitted.txt")).isNull();
    // What is not secret stays.
    assertThat(files.get("logs/holdfast.log"))
        .contains("[films||]", "connects to https://admin:<removed>@etcd.example:2379")
        .hasLineCount(24 + 1);
    assertThat(files).containsKeys("resources/volumes.json", "host/mounts.txt", "threads-3.txt");
    assertThat(files).doesNotContainKey("resources/accesstokens.json");
    assertThat(files.get("files.txt")).contains("secrets/aws");
  }

  @Test
  void fileOfASourceThatForgetsToRemoveSecretsIsWithheld() throws Exception {
    Map<String, String> files = bundle((filter, text) -> text.getBytes(StandardCharsets.UTF_8));

    assertThat(files).doesNotContainKey("metrics.txt");
    assertThat(files.get("omitted.txt"))
        .isEqualTo("metrics.txt: withheld, because it holds a secret");
  }

  @Test
  void archiveNamesPartsOmittedByLimitsOfSizeAndTime() throws Exception {
    List<String> taken = new ArrayList<>();
    SecretFilter filter = new SecretFilter(Set.of());
    BoundedSink sink =
        new BoundedSink(
            (name, content) -> taken.add(name), filter, 10, NOW, InstantSource.fixed(NOW));
    sink.entry("small", new byte[6]);
    sink.entry("large", new byte[6]);
    sink.entry("last", new byte[4]);
    BoundedSink late =
        new BoundedSink(
            (name, content) -> taken.add(name),
            filter,
            10,
            NOW,
            InstantSource.fixed(NOW.plusMillis(1)));
    late.entry("late", new byte[1]);

    assertThat(taken).containsExactly("small", "last");
    assertThat(sink.omissions()).containsExactly("large: the size limit of 10 bytes was reached");
    assertThat(late.omissions()).containsExactly("late: the time limit was over");
  }
}

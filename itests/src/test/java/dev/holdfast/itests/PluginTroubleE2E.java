package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.frontend.FrontendProvider;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plugins that loop or throw are reported by name, and the volumes of other plugins are still
 * served.
 */
class PluginTroubleE2E {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Pattern INSTALLED = Pattern.compile("Bundle ID: (\\d+)");
  private static final String ENGINE_PACKAGES = "dev.holdfast.engine,dev.holdfast.error";
  private static final String FRONTEND_PACKAGES = "dev.holdfast.frontend,dev.holdfast.block";
  private static final String ATTACHER_PACKAGES =
      "dev.holdfast.attacher,dev.holdfast.controller,dev.holdfast.resource,"
          + "dev.holdfast.resource.volume";
  private static final String JAVA =
      " -Dholdfast.plugin.late.seconds=2 -Dholdfast.controller.late.seconds=2"
          + " -Dholdfast.looping.port=0";

  @TempDir static Path data;
  private static RunningNode node;
  private static SteadyWrites others;

  @BeforeAll
  static void start() throws IOException {
    node = RunningNode.of(data.resolve("node")).withJava(RunningNode.QUICK + JAVA);
    node.up().succeeded();
    others = new SteadyWrites(1024, 6, node.volume("other", "16Mi", 2));
    others.awaitProgress();
    install(
        PlantedBundle.of(
            data, "frontend", LoopingFrontend.class, FrontendProvider.class, FRONTEND_PACKAGES));
    install(
        PlantedBundle.of(
            data, "engine", LoopingEngine.class, EngineProvider.class, ENGINE_PACKAGES));
    install(
        PlantedBundle.of(
            data, "attacher", LoopingAttacher.class, Reconciler.class, ATTACHER_PACKAGES));
  }

  private static String install(Path jar) {
    Matcher installed = INSTALLED.matcher(node.shell("bundle:install -s file:" + jar));
    assertThat(installed.find()).isTrue();
    return installed.group(1);
  }

  @AfterAll
  static void stop() throws IOException {
    try {
      others.close();
      others.verify();
    } finally {
      node.close();
    }
  }

  @AfterEach
  void othersGoOn() {
    others.awaitProgress();
  }

  private static JsonNode healthy(JsonNode resource) {
    return condition(resource, "PluginsHealthy");
  }

  private static JsonNode condition(JsonNode resource, String type) {
    for (JsonNode condition : resource.at("/status/conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition;
      }
    }
    return resource.path("absent");
  }

  private static JsonNode get(String... words) {
    return Cluster.tree(node.ok(words));
  }

  private static JsonNode volume(String name) {
    return get("volume", "get", name, "-o", "json");
  }

  private static void awaitTold(String volume, String reason, String bundle) {
    Api api = node.api();
    String kubeconfig = node.ok("kubeconfig");
    Await.until(
        volume + " says " + reason,
        LIMIT,
        () -> healthy(api.get("volumes", volume)).path("reason").asText().equals(reason));
    assertThat(healthy(volume(volume)).path("message").asText()).contains(bundle, "node node-1");
    JsonNode ofNode = healthy(get("node", "get", "node-1", "-o", "json"));
    assertThat(ofNode.path("message").asText()).contains(bundle);
    Await.until(
        "an event tells it",
        LIMIT,
        () ->
            Command.of("kubectl", "--kubeconfig", kubeconfig, "get", "events.holdfast.dev")
                .run()
                .out()
                .contains(reason));
  }

  private static URI withLoopingFrontend(String name) {
    node.ok("volume", "create", name, "--size", "1Mi", "--replicas", "1", "--frontend", "looping");
    return node.attach(name);
  }

  @Test
  void loopingFrontendIsReportedAndItsVolumeCanBeDetached() throws IOException {
    URI uri = withLoopingFrontend("in-loop");
    try (Socket client = new Socket(uri.getHost(), uri.getPort())) {
      client.getOutputStream().write('l');
      awaitTold("in-loop", "BundleHangs", "dev.example.frontend 1.0.0");
      node.ok("volume", "detach", "in-loop");
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void throwingFrontendIsReported() throws IOException {
    URI uri = withLoopingFrontend("throwing");
    for (int i = 0; i < 4; i++) {
      try (Socket client = new Socket(uri.getHost(), uri.getPort())) {
        client.getOutputStream().write('t');
        assertThat(client.getInputStream().read()).isEqualTo(-1);
      }
    }
    awaitTold("throwing", "BundleFails", "dev.example.frontend 1.0.0");
    node.ok("volume", "detach", "throwing");
  }

  @Test
  void loopingEngineIsReported() {
    node.ok("volume", "create", "stuck", "--size", "1Mi", "--replicas", "1", "--engine", "looping");
    node.ok("volume", "attach", "stuck", "--no-wait");
    awaitTold("stuck", "BundleHangs", "dev.example.engine 1.0.0");
    node.ok("volume", "detach", "stuck", "--no-wait");
  }

  @Test
  void loopingAttacherIsReportedAndItsVolumeServes() throws IOException {
    try (NbdConnection connection =
        new NbdConnection(node.volume(LoopingAttacher.NAME, "1Mi", 1))) {
      awaitTold(LoopingAttacher.NAME, "BundleHangs", "dev.example.attacher 1.0.0");
      assertThat(connection.write(0, new byte[] {1})).isZero();
    }
    node.ok("volume", "detach", LoopingAttacher.NAME);
  }

  private static JsonNode unique() {
    return condition(get("node", "get", "node-1", "-o", "json"), "PluginNamesUnique");
  }

  private static Map<String, String> installNamesakes() throws IOException {
    Map<String, String> ids = new TreeMap<>();
    ids.put(
        "engine sparse",
        install(
            PlantedBundle.of(
                data, "two-e", BrokenEngine.class, EngineProvider.class, ENGINE_PACKAGES)));
    ids.put(
        "frontend nbd",
        install(
            PlantedBundle.of(
                data, "two-f", NamesakeFrontend.class, FrontendProvider.class, FRONTEND_PACKAGES)));
    ids.put(
        "attacher api",
        install(
            PlantedBundle.of(
                data, "two-a", NamesakeAttacher.class, AttacherProvider.class, ATTACHER_PACKAGES)));
    ids.put(
        "controller api",
        install(
            PlantedBundle.of(
                data, "two-c", NamesakeAttacher.class, Reconciler.class, ATTACHER_PACKAGES)));
    return ids;
  }

  @Test
  void pluginsWithNamesOfOtherBundlesAreRefused() throws IOException {
    Map<String, String> ids = installNamesakes();
    ids.forEach(
        (what, id) ->
            Await.until(
                what + " is refused",
                LIMIT,
                () ->
                    unique().path("reason").asText().equals("DuplicateName")
                        && unique().path("message").asText().contains(what)
                        && node.log().contains(what + " is refused")));
    assertThat(unique().path("status").asText()).isEqualTo("False");
    assertThat(unique().path("message").asText())
        .contains("dev.example.two-e 1.0.0", "dev.holdfast.engine.sparse")
        .contains("dev.example.two-f 1.0.0", "dev.holdfast.frontend.nbd")
        .contains("dev.example.two-a 1.0.0", "dev.holdfast.attacher.api")
        .contains("bundle:uninstall " + ids.get("engine sparse"));

    try (NbdConnection connection = new NbdConnection(node.volume("unaffected", "16Mi", 1))) {
      assertThat(connection.write(0, new byte[] {1})).isZero();
    }
    node.ok("volume", "detach", "unaffected");

    ids.values().forEach(id -> node.shell("bundle:uninstall " + id));
    Await.until("the condition ends", LIMIT, () -> unique().isMissingNode());
  }
}

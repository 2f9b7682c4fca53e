package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plugins that are made outside the source tree by the commands of docs/PLUGINS.md. */
class ThirdPartyE2E {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String ATTACHER = "acme.storage.keep-attached";
  private static final String CONTROLLER = "dev.holdfast.attachment";

  @TempDir static Path data;
  private static RunningNode node;
  private static ThirdParty party;

  @BeforeAll
  static void start() throws IOException {
    node = RunningNode.start(data.resolve("node"));
    party = ThirdParty.in(data.resolve("party"), node);
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  private static JsonNode why(String volume) throws IOException {
    return new ObjectMapper().readTree(node.ok("volume", "why", volume, "-o", "json"));
  }

  private static String id(String bundle) {
    return node.shell("bundle:list -t 0 -s --no-format")
        .lines()
        .filter(line -> line.strip().endsWith(bundle))
        .map(line -> line.strip().split("\\s", 2)[0])
        .findFirst()
        .orElseThrow();
  }

  private static void awaitReason(String volume, String path, String reason) {
    Await.until(volume + ": " + reason, LIMIT, () -> why(volume).at(path).asText().equals(reason));
  }

  private static void label(String volume) throws IOException {
    party.runs("kubectl label volumes.holdfast.dev " + volume + " keep-attached=true");
  }

  private static void ticket(String volume, String type, String disableFrontend)
      throws IOException {
    party.runs(
        """
        kubectl patch volumeattachments.holdfast.dev %s --type=merge -p '{"spec": {"attachmentTickets": {
          "other": {"id": "other", "type": "%s", "nodeID": "node-1",
                    "parameters": {"disableFrontend": "%s"}}}}}'
        """
            .formatted(volume, type, disableFrontend));
  }

  private static void create(String volume) {
    node.ok("volume", "create", volume, "--size", "16Mi", "--replicas", "1", "--wait");
  }

  private static void writes(NbdConnection connection, int block) throws IOException {
    byte[] content = new byte[4096];
    Arrays.fill(content, (byte) (block + 1));
    assertThat(connection.write(4096L * block, content)).isZero();
    assertThat(connection.read(4096L * block, 4096)).isEqualTo(content);
  }

  private static void judged(String project, int most) throws IOException {
    assertThat(party.reports(project)).hasSizeGreaterThanOrEqualTo(most);
    for (Path report : party.reports(project)) {
      assertThat(Files.readString(report)).contains("failures=\"0\"").contains("errors=\"0\"");
    }
    assertThat(party.containerReports(project)).hasSize(1);
    assertThat(Files.readString(party.containerReports(project).get(0)))
        .contains("tests=\"2\"", "failures=\"0\"", "errors=\"0\"", "skipped=\"0\"");
  }

  private static void awaitState(String volume, String state) {
    Await.until(
        volume + ": " + state, LIMIT, () -> why(volume).at("/state").asText().equals(state));
  }

  private static boolean isInstalled(String bundle) {
    return node.shell("bundle:list -t 0 -s --no-format").contains(bundle);
  }

  private static boolean isKnown(String volume) {
    return node.ok("volume", "list").contains(volume);
  }

  /** Detaches, deletes and uninstalls by the commands of the page. */
  private static void removes(String block, String volume, String bundle) throws IOException {
    List<String> removal = party.lines(block);
    assertThat(removal).hasSize(3);
    party.runs(removal.get(0));
    awaitState(volume, "detached");
    party.runs(removal.get(1));
    Await.until(volume + " is gone", LIMIT, () -> !isKnown(volume));
    assertThat(isInstalled(bundle)).isTrue();
    party.runs(removal.get(2));
    assertThat(isInstalled(bundle)).isFalse();
  }

  @Test
  void attacherHoldsByItsPriorityAndIsReplacedUnderItsVolumes() throws Exception {
    party.follows("attacher", "", "");
    judged("keep-attached", 1);
    awaitReason("films", "/holders/0/reason", "Attached");
    assertThat(why("films").at("/holders/0/id").asText()).isEqualTo("keep-attached-films");
    theHigherPriorityIsSelected();
    create("later");
    Path second = secondVersion("keep-attached");
    try (NbdConnection connection = new NbdConnection(node.endpoint("films"))) {
      writes(connection, 0);
      node.shell("bundle:update " + id(ATTACHER) + " file:" + second);
      assertThat(node.shell("bundle:list -t 0 --no-format")).contains("2.0.0");
      writes(connection, 1);

      node.shell("bundle:uninstall " + id(ATTACHER));
      ticket("later", "keep-attached", "false");
      awaitReason("later", "/waiting/0/reason", "AttacherUnavailable");
      assertThat(why("films").at("/holders/0/satisfied").asBoolean()).isTrue();
      writes(connection, 2);

      label("later");
      node.shell("bundle:install -s file:" + second);
      awaitReason("later", "/holders/0/reason", "Attached");
      assertThat(why("films").at("/holders/0/reason").asText()).isEqualTo("Attached");
      writes(connection, 3);
    }
    List<String> removal = party.lines("attacher-removal");
    assertThat(removal).hasSize(3);
    party.runs(removal.get(0));
    awaitState("films", "detached");
    assertThat(party.runs(removal.get(1))).doesNotContain("keep-attached-films");
    party.runs(removal.get(2));
    assertThat(isInstalled(ATTACHER)).isFalse();
    remainingTicketHoldsUntilItIsDeleted(second);
  }

  private static void remainingTicketHoldsUntilItIsDeleted(Path jar) throws IOException {
    List<String> commands = party.lines("attacher-tickets");
    assertThat(commands).hasSize(2);
    node.shell("bundle:install -s file:" + jar);
    label("films");
    awaitReason("films", "/holders/0/reason", "Attached");
    node.shell("bundle:uninstall " + id(ATTACHER));
    assertThat(party.runs(commands.get(0)))
        .contains("stays attached to node-1: held by ticket keep-attached-films");
    party.runs(commands.get(1));
    awaitState("films", "detached");
  }

  /** Two tickets exclude each other and exist before the controller selects one of them. */
  private static void theHigherPriorityIsSelected() throws IOException {
    create("rivals");
    String controller = id(CONTROLLER);
    node.shell("bundle:stop " + controller);
    ticket("rivals", "api", "true");
    label("rivals");
    Await.until(
        "the attacher's ticket",
        LIMIT,
        () ->
            party
                .runs("kubectl get volumeattachments.holdfast.dev rivals -o json")
                .contains("keep-attached-rivals"));
    node.shell("bundle:start " + controller);
    awaitReason("rivals", "/holders/0/reason", "Attached");
    assertThat(why("rivals").at("/holders/0/id").asText()).isEqualTo("keep-attached-rivals");
    assertThat(why("rivals").at("/waiting/0/id").asText()).isEqualTo("other");
  }

  private static Path secondVersion(String name) throws IOException {
    Path project = party.work().resolve(name);
    replace(project.resolve("pom.xml"), "<version>1.0.0</version>", "<version>2.0.0</version>");
    party.runs("cd " + name + "; mvn verify -DskipTests");
    return project.resolve("target/" + name + "-2.0.0.jar");
  }

  private static void replace(Path file, String from, String to) throws IOException {
    Files.writeString(file, Files.readString(file).replace(from, to));
  }

  @Test
  void engineServesItsVolume() throws Exception {
    party.follows("engine", "", "");
    judged("one-file", 5);
    try (NbdConnection connection = new NbdConnection(node.endpoint("scratch"))) {
      writes(connection, 7);
    }
    node.ok("volume", "detach", "scratch");
    try (NbdConnection connection = new NbdConnection(node.attach("scratch"))) {
      assertThat(connection.read(4096L * 7, 4096)).containsOnly(8);
    }
    removes("engine-removal", "scratch", "acme.storage.one-file");
  }

  /** Chromium runs twice here, and the kit has tests of its own. */
  @Tag("soak")
  @Test
  void contributionIsShownReplacedAndRemovedInTheOpenPage() throws Exception {
    String project = "largest-volumes";
    String printed = party.follows("page", "", "");
    judged(project, 1);
    assertThat(printed).contains("/page/#code=");
    replace(
        party.work().resolve(project + "/src/main/resources/page-contribution/index.js"),
        "Largest volumes",
        "Volumes by size");
    assertThat(secondVersion(project)).exists();
    List<String> commands = party.lines("page-removal");
    assertThat(commands).hasSize(2);
    PageStories.play(
        "archetype",
        node.ok("page").lines().findFirst().orElseThrow(),
        party.program("replace", commands.get(0)).toString(),
        party.program("remove", commands.get(1)).toString());
    assertThat(isInstalled("acme.storage." + project)).isFalse();
  }

  /** The archetypes of an engine and of an attacher are built and used in each form. */
  @Tag("soak")
  @Test
  void frontendAnswersForItsVolume() throws Exception {
    party.follows("frontend", "10900", String.valueOf(Ports.free().nbd()));
    judged("lines", 6);
    URI endpoint = node.endpoint("shown");
    assertThat(endpoint.getScheme()).isEqualTo("lines");
    try (Socket socket = new Socket(endpoint.getHost(), endpoint.getPort())) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      expect(socket, in, "ATTACH shown\n", "OK " + (64 << 20) + "\n");
      expect(socket, in, "WRITE a 4096 5\nhello", "a OK 0\n");
      expect(socket, in, "READ b 4095 7\n", "b OK 7\n\0hello\0");
      expect(socket, in, "READ c " + (64 << 20) + " 1\n", "c ERROR INVALID\n");
    }
    removes("frontend-removal", "shown", "acme.storage.lines");
  }

  private static void expect(Socket socket, DataInputStream in, String request, String answer)
      throws IOException {
    socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
    assertThat(new String(in.readNBytes(answer.length()), StandardCharsets.UTF_8))
        .isEqualTo(answer);
  }
}

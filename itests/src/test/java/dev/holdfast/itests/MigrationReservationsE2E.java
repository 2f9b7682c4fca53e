package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A reserved volume that moves in use between two containers, for initiators of libiscsi: what is
 * reserved holds at both endpoints, and does not change until the move is over.
 */
@Tag("soak")
class MigrationReservationsE2E {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String VOLUME = "fenced";
  private static final String HOLDER = "iqn.2026-01.test:holder";
  private static final String OTHER = "iqn.2026-01.test:other";
  private static final int CHECK_CONDITION = 2;
  private static final int CONFLICT = 0x18;

  @TempDir Path data;

  @Test
  void whoIsFencedOffIsFencedOffAtBothNodes() {
    try (Cluster cluster = Cluster.start(data, 2)) {
      Tickets pods = new Tickets(cluster.api(), "csi-attacher");
      cluster.awaitReadiness(1, "True");
      cluster.awaitReadiness(2, "True");
      create(cluster);
      pods.awaitAll(List.of(VOLUME), "detached", "", LIMIT);
      pods.ask(VOLUME, "node-1");
      pods.awaitSatisfied(VOLUME, "node-1", LIMIT);
      URI source = pods.endpoint(VOLUME);
      assertThat(initiator(source, HOLDER, "register", "abc"))
          .contains("registered 0", "reserved 0");

      pods.ask(VOLUME, "node-2");
      pods.awaitSatisfied(VOLUME, "node-2", LIMIT);
      URI target =
          URI.create(cluster.api().get("volumes", VOLUME).at("/status/migrationEndpoint").asText());
      assertThat(initiator(target, HOLDER, "keys")).contains("read 0", "keys abc");
      for (URI each : List.of(source, target)) {
        assertThat(initiator(each, HOLDER, "write")).contains("wrote 0");
        assertThat(initiator(each, OTHER, "write")).contains("wrote " + CONFLICT);
        assertThat(initiator(each, OTHER, "register", "def"))
            .contains("registered " + CHECK_CONDITION);
      }

      pods.takeBack(VOLUME, "node-1");
      Await.until(
          "the volume is at node-2 alone",
          LIMIT,
          () ->
              cluster
                  .api()
                  .get("engines", VOLUME + "-e-0")
                  .at("/status/migrationNodeID")
                  .asText("")
                  .isEmpty());
      assertThat(initiator(target, OTHER, "write")).contains("wrote " + CONFLICT);
      assertThat(initiator(target, OTHER, "register", "def")).contains("registered 0");
      assertThat(initiator(target, HOLDER, "keys")).contains("keys abc def");
      assertThat(initiator(target, OTHER, "write")).contains("wrote 0");
    }
  }

  private static void create(Cluster cluster) {
    cluster
        .api()
        .create(
            "volumes",
            "Volume",
            VOLUME,
            spec ->
                spec.put("size", "16Mi")
                    .put("numberOfReplicas", 2)
                    .put("frontend", "iscsi")
                    .put("accessMode", "rwx")
                    .put("migratable", true));
  }

  private static String initiator(URI endpoint, String name, String... action) {
    String program = Path.of("src/test/resources/libiscsi/reserve").toAbsolutePath().toString();
    String target = endpoint.getPath().substring(1).replaceFirst("/0$", "");
    String address = endpoint.getHost() + ":" + endpoint.getPort();
    List<String> words = new ArrayList<>(List.of(program, address, target, name));
    words.addAll(List.of(action));
    return Command.of(words).run().succeeded().out();
  }
}

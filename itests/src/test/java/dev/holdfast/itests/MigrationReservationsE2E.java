package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A reserved volume that moves in use between two containers, for initiators of libiscsi: the
 * reservation applies at both endpoints, and does not change until the migration has ended.
 */
@Tag("soak")
class MigrationReservationsE2E {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String VOLUME = "fenced";
  private static final ReservingInitiator HOLDER =
      new ReservingInitiator("iqn.2026-01.test:holder");
  private static final ReservingInitiator OTHER = new ReservingInitiator("iqn.2026-01.test:other");
  private static final int CHECK_CONDITION = 2;

  @TempDir Path data;

  @Test
  void preemptedInitiatorIsFencedAtBothNodes() {
    try (Cluster cluster = Cluster.start(data, 2)) {
      Tickets pods = new Tickets(cluster.api(), "csi-attacher");
      cluster.awaitReadiness(1, "True");
      cluster.awaitReadiness(2, "True");
      create(cluster);
      pods.awaitAll(List.of(VOLUME), "detached", "", LIMIT);
      pods.ask(VOLUME, "node-1");
      pods.awaitSatisfied(VOLUME, "node-1", LIMIT);
      URI source = pods.endpoint(VOLUME);
      assertThat(HOLDER.at(source, "register", "abc")).contains("registered 0", "reserved 0");

      pods.ask(VOLUME, "node-2");
      pods.awaitSatisfied(VOLUME, "node-2", LIMIT);
      URI target =
          URI.create(cluster.api().get("volumes", VOLUME).at("/status/migrationEndpoint").asText());
      assertThat(HOLDER.at(target, "keys")).contains("read 0", "keys abc");
      for (URI each : List.of(source, target)) {
        assertThat(HOLDER.at(each, "write")).contains("wrote 0");
        assertThat(OTHER.at(each, "write")).contains("wrote " + ReservingInitiator.CONFLICT);
        assertThat(OTHER.at(each, "register", "def")).contains("registered " + CHECK_CONDITION);
      }

      pods.withdraw(VOLUME, "node-1");
      Await.until(
          "the volume is at node-2 alone",
          LIMIT,
          () -> cluster.api().engineOf(VOLUME).at("/status/migrationNodeID").asText("").isEmpty());
      assertThat(OTHER.at(target, "write")).contains("wrote " + ReservingInitiator.CONFLICT);
      assertThat(OTHER.at(target, "register", "def")).contains("registered 0");
      assertThat(HOLDER.at(target, "keys")).contains("keys abc def");
      assertThat(OTHER.at(target, "write")).contains("wrote 0");
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
}

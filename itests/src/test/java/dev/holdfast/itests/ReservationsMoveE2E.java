package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A volume that an initiator has reserved moves to another of two containers. The initiator (of
 * libiscsi) connects to the same portal as before, is redirected to the other node, and finds its
 * registration. Another initiator cannot write there.
 */
@Tag("soak")
class ReservationsMoveE2E {
  private static final String VOLUME = "reserved";
  private static final ReservingInitiator HOLDER =
      new ReservingInitiator("iqn.2026-01.test:holder");
  private static final ReservingInitiator OTHER = new ReservingInitiator("iqn.2026-01.test:other");

  @TempDir Path data;

  @Test
  void registrationAndReservationAreThereWhereTheInitiatorIsSent() {
    try (Cluster cluster = Cluster.start(data, 2)) {
      cluster.ok(
          "volume", "create", VOLUME, "--size", "16Mi", "--replicas", "2", "--frontend", "iscsi");
      URI before = attached(cluster, "node-1");
      assertThat(HOLDER.at(before, "register", "abc")).contains("registered 0", "reserved 0");
      assertThat(OTHER.at(before, "write")).contains("wrote " + ReservingInitiator.CONFLICT);
      cluster.ok("volume", "detach", VOLUME);
      URI after = attached(cluster, "node-2");
      assertThat(after.getHost()).isNotEqualTo(before.getHost());
      // Both ask at the node that has it no more.
      assertThat(HOLDER.at(before, "keys")).contains("read 0", "keys abc");
      assertThat(HOLDER.at(before, "write")).contains("wrote 0");
      assertThat(OTHER.at(before, "write")).contains("wrote " + ReservingInitiator.CONFLICT);
    }
  }

  private static URI attached(Cluster cluster, String node) {
    cluster.ok("volume", "attach", VOLUME, "--node", node);
    return URI.create(cluster.ok("volume", "endpoint", VOLUME, "--remote"));
  }
}

package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.frontend.testkit.Peer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** libiscsi and QEMU as initiators. They are required: a missing one fails the test. */
final class IscsiPeerTest {
  private static final int SIZE = 16 << 20;
  private static final String INITIATOR = "iqn.2026-01.test:peer";

  @TempDir private Path directory;

  @Test
  void qemuCopiesComparesAndDiscards() throws Exception {
    MemoryBlockDevice device = new MemoryBlockDevice(SIZE);
    try (IscsiServer server = IscsiServer.start()) {
      String url = server.publish("vol-1", device).toString();
      Path source = directory.resolve("source.raw");
      byte[] content = new byte[SIZE];
      new Random(2).nextBytes(content);
      Files.write(source, content);
      Peer.run("qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", source.toString(), url);
      assertThat(Peer.run("qemu-img", "compare", "-f", "raw", source.toString(), url))
          .contains("identical");
      String output =
          Peer.run(
              "qemu-io",
              "-f",
              "raw",
              "-c",
              "write -P 5 1M 64k",
              "-c",
              "write -f -P 6 2M 4k",
              "-c",
              "read -P 5 1M 64k",
              "-c",
              "write -z -u 1M 64k",
              "-c",
              "read -P 0 1M 64k",
              "-c",
              "discard 0 1M",
              "-c",
              "flush",
              "-c",
              "read -P 6 2M 4k",
              url);
      assertThat(output).doesNotContain("verification failed").doesNotContain("rror");
      assertThat(device.flushes() + device.durableWrites()).isPositive();
    }
  }

  @Test
  void discoveryNamesTheAdvertisedAddress() throws Exception {
    Map<String, String> properties = Map.of("holdfast.advertised.address", "192.0.2.7");
    try (IscsiServer server = IscsiServer.start(Optional.empty(), properties)) {
      URI first = server.publish("vol-1", new MemoryBlockDevice(SIZE));
      URI unused = server.publish("vol-2", new MemoryBlockDevice(SIZE));
      String list = Peer.run("iscsi-ls", "iscsi://127.0.0.1:" + first.getPort());
      assertThat(list)
          .contains("Target:iqn.2026-01.dev.holdfast:vol-1 Portal:192.0.2.7:" + first.getPort())
          .contains("Target:iqn.2026-01.dev.holdfast:vol-2");
    }
  }

  @Test
  void bothSidesAuthenticateByTheirSecrets() throws Exception {
    Path secrets = directory.resolve("chap");
    Files.writeString(
        secrets, INITIATOR + " alice wonderland1234 target looking-glass1\n# no other\n");
    try (IscsiServer server = IscsiServer.start(Optional.of(secrets), Map.of())) {
      String url = server.publish("vol-1", new MemoryBlockDevice(SIZE)).toString();
      String named = url.replace("iscsi://", "iscsi://alice%wonderland1234@");
      assertThat(inquiry(named)).isTrue();
      assertThat(inquiry(named + "?target_user=target&target_password=looking-glass1")).isTrue();
      assertThat(inquiry(named + "?target_user=target&target_password=another-glass1")).isFalse();
      assertThat(inquiry(named.replace("wonderland1234", "wonderland1235"))).isFalse();
      assertThat(inquiry(named.replace("alice", "bob"))).isFalse();
      assertThat(inquiry(url)).isFalse();
      assertThat(Peer.attempt("iscsi-inq", "-i", "iqn.2026-01.test:other", named).exitCode())
          .isNotZero();
      Files.writeString(secrets, INITIATOR + " alice changed-secret1\n");
      assertThat(inquiry(named)).isFalse();
      assertThat(inquiry(named.replace("wonderland1234", "changed-secret1"))).isTrue();
    }
  }

  private static boolean inquiry(String url) throws Exception {
    Peer.Outcome outcome = Peer.attempt("iscsi-inq", "-i", INITIATOR, url);
    return outcome.exitCode() == 0 && outcome.output().contains("Vendor:HOLDFAST");
  }
}

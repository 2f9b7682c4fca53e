package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A volume that a host has reserved moves to another of two containers. The host has only the
 * address of the first one, where it stays connected to the Discovery controller (NVM Express Base
 * 2.0, 3.1.2.3):
 *
 * <ul>
 *   <li>its controllers of the volume end, with their connections, before the volume is served
 *       elsewhere; no state of asymmetric access (8.1) is reported, because none of them remains;
 *   <li>a Connect there is refused so that it may be tried again (6.3: invalid parameters, without
 *       Do Not Retry), as a host does that waits for a path;
 *   <li>the Discovery log (5.16.1, log 70h) lists the new node of the volume, and an event that it
 *       changed (5.2: Discovery Log Page Change);
 *   <li>there it is the same subsystem and namespace, by another controller (figure 275: CNTLID is
 *       unique in the subsystem) whose access is optimized (8.1);
 *   <li>the reservation that was to persist is held, and keeps others away (8.19).
 * </ul>
 */
@Tag("soak")
class NvmeMoveE2E {
  private static final String VOLUME = "moved";
  private static final UUID HOLDER = new UUID(0x1122334455667788L, 1);
  private static final UUID OTHER = new UUID(0x1122334455667788L, 2);
  private static final long KEY = 0xabc;
  private static final int CONFLICT = 0x83;
  private static final int INVALID_PARAMETERS = 0x182;
  private static final int OPTIMIZED = 1;

  @TempDir Path data;

  @Test
  void hostIsReferredToTheNewNodeAndFindsTheVolumeUnchanged() throws Exception {
    try (Cluster cluster = Cluster.start(data, 2)) {
      cluster.ok(
          "volume", "create", VOLUME, "--size", "16Mi", "--replicas", "2", "--frontend", "nvmeof");
      URI before = attached(cluster, "node-1");
      try (NvmeDiscovery discovery = NvmeDiscovery.connect(before, HOLDER);
          NvmeHost holder = NvmeHost.connect(before, HOLDER);
          NvmeHost other = NvmeHost.connect(before, OTHER)) {
        assertThat(discovery.listed()).isEqualTo(at(before));
        holder.reserve(KEY);
        assertThat(holder.write(0, block(1))).isZero();
        assertThat(other.write(0, block(2))).isEqualTo(CONFLICT);
        String identity = holder.identity();

        cluster.ok("volume", "detach", VOLUME);
        holder.awaitEnd();
        other.awaitEnd();
        discovery.awaitListed(Set.of());
        assertRefusedForNow(before);
        URI after = attached(cluster, "node-2");
        assertThat(after.getHost()).isNotEqualTo(before.getHost());
        discovery.awaitListed(at(after));
        assertRefusedForNow(before);

        try (NvmeHost again = NvmeHost.connect(after, HOLDER)) {
          assertThat(again.identity()).isEqualTo(identity);
          assertThat(again.controller()).isNotEqualTo(holder.controller());
        }
        assertIsAsItWas(after);
      }
    }
  }

  private static void assertIsAsItWas(URI after) throws Exception {
    try (NvmeDiscovery there = NvmeDiscovery.connect(after, OTHER);
        NvmeHost holder = NvmeHost.connect(after, HOLDER);
        NvmeHost other = NvmeHost.connect(after, OTHER)) {
      assertThat(there.listed()).isEqualTo(at(after));
      assertThat(holder.asymmetricAccess()).isEqualTo(OPTIMIZED);
      assertThat(other.heldBy()).isEqualTo(KEY);
      assertThat(other.write(0, block(2))).isEqualTo(CONFLICT);
      assertThat(other.read(0)).isEqualTo(block(1));
      assertThat(holder.write(0, block(3))).isZero();
      assertThat(other.read(0)).isEqualTo(block(3));
    }
  }

  private static void assertRefusedForNow(URI at) throws Exception {
    NvmeConnection.Answer refused = NvmeHost.ask(at, HOLDER);
    assertThat(refused.status()).isEqualTo(INVALID_PARAMETERS);
    assertThat(refused.retry()).isTrue();
  }

  private static URI attached(Cluster cluster, String node) {
    cluster.ok("volume", "attach", VOLUME, "--node", node);
    return URI.create(cluster.ok("volume", "endpoint", VOLUME, "--remote"));
  }

  private static Set<String> at(URI endpoint) {
    return Set.of(endpoint.getHost() + ":" + endpoint.getPort() + endpoint.getPath());
  }

  private static byte[] block(int content) {
    byte[] block = new byte[NvmeHost.BLOCK];
    Arrays.fill(block, (byte) content);
    return block;
  }
}

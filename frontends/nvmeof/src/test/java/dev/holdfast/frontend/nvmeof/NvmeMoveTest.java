package dev.holdfast.frontend.nvmeof;

import static dev.holdfast.frontend.nvmeof.NvmeTestBase.get;
import static dev.holdfast.frontend.nvmeof.NvmeTestBase.log;
import static dev.holdfast.frontend.nvmeof.NvmeTestBase.page;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.ExportDirectory;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A volume that moves from one node to another (NVM Express Base 2.0), as seen by a host that has
 * only the address of the first one. Checks the Discovery log (5.16.1, log 70h), its change event
 * (5.2), and the answer of Connect on the former node (6.3).
 */
@Timeout(60)
final class NvmeMoveTest {
  private static final int RECORD = 1024;
  private static final int DISCOVERY_NOTICE = 1 << 31;
  private static final int DISCOVERY_CHANGED = 0x70_f0_02;

  private final MemoryBlockDevice device = new MemoryBlockDevice(1 << 20);
  private final Host host = Host.of(HostOptions.PLAIN);
  private final Known known = new Known();
  private NvmeServer former;
  private NvmeServer present;

  /** Places of volumes, as a cluster reports them to its nodes. */
  private static final class Known implements ExportDirectory {
    private final Map<String, URI> volumes = new ConcurrentHashMap<>();

    @Override
    public Optional<URI> endpoint(String frontend, String export) {
      return Optional.ofNullable(endpoints(frontend).get(export));
    }

    @Override
    public Map<String, URI> endpoints(String frontend) {
      return frontend.equals("nvmeof") ? Map.copyOf(volumes) : Map.of();
    }
  }

  @BeforeEach
  void start() throws Exception {
    former = NvmeServer.start();
    present = NvmeServer.start();
    former.knows(known);
    present.knows(known);
  }

  @AfterEach
  void stop() {
    former.close();
    present.close();
  }

  @Test
  void discoveryAtTheFormerNodeReportsTheNewNodeOfTheVolume() throws Exception {
    URI stays = former.publish("stays", device).endpoint();
    PublishedExport export = former.publish("moves", device);
    known.volumes.put("stays", stays);
    known.volumes.put("moves", export.endpoint());
    try (HostQueue discovery = host.admin(stays, NvmeDiscoveryTest.DISCOVERY, 30_000).queue()) {
      get(discovery.send(NvmeTestBase.feature(true, 0x0b, DISCOVERY_NOTICE), 0)).orThrow();
      assertThat(discovered(discovery)).containsExactlyInAnyOrder(at(stays), at(export.endpoint()));
      var gone = discovery.send(new Entry(0x0c), 0);
      export.close();
      assertThat(get(gone).result()).isEqualTo(DISCOVERY_CHANGED);
      known.volumes.remove("moves");
      assertThat(discovered(discovery)).containsExactly(at(stays));
      var there = discovery.send(new Entry(0x0c), 0);
      URI moved = present.publish("moves", device).endpoint();
      known.volumes.put("moves", moved);
      assertThat(get(there).result()).isEqualTo(DISCOVERY_CHANGED);
      assertThat(discovered(discovery)).containsExactlyInAnyOrder(at(stays), at(moved));
    }
  }

  @Test
  void connectionsEndAtTheFormerNodeAndTheHostMayRetry() throws Exception {
    PublishedExport export = former.publish("moves", device);
    URI at = export.endpoint();
    String subsystem = at.getPath().substring(1);
    Host.Admin admin = host.admin(at, subsystem, 0);
    HostQueue io = host.io(at, subsystem, admin.controller(), 1);
    export.close();
    known.volumes.put("moves", present.publish("moves", device).endpoint());
    assertThat(admin.queue().terminated()).failsWithin(java.time.Duration.ofSeconds(20));
    assertThat(io.terminated()).failsWithin(java.time.Duration.ofSeconds(20));
    try (HostQueue again = HostQueue.open(at, host.options())) {
      Outcome refused = get(again.send(host.connect(0, 32, 0), host.data(subsystem, Host.ANY)));
      assertThat(refused.status()).isEqualTo(0x182);
      assertThat(refused.retry()).isTrue();
    }
  }

  /** Controller identifiers are unique in a subsystem, wherever it is shown (figure 275). */
  @Test
  void controllersBeginWithAnotherNumberEachTimeTheVolumeIsShown() throws Exception {
    Set<Integer> numbers = new HashSet<>();
    for (NvmeServer node : new NvmeServer[] {former, present, former}) {
      PublishedExport export = node.publish("moves", device);
      String subsystem = export.endpoint().getPath().substring(1);
      Host.Admin admin = host.admin(export.endpoint(), subsystem, 0);
      numbers.add(admin.controller());
      admin.queue().close();
      export.close();
    }
    // Three random numbers of 65519 are rarely equal, so only "not all equal" is checked.
    assertThat(numbers).hasSizeGreaterThan(1);
  }

  /** Entries of the log: subsystems and their addresses. */
  private static Set<String> discovered(HostQueue discovery) throws Exception {
    ByteBuffer log = page(get(discovery.send(log(0x70, 8 * RECORD), 8 * RECORD)));
    Set<String> found = new TreeSet<>();
    for (int i = 1; i <= log.getLong(8); i++) {
      assertThat(log.get(i * RECORD + 2)).as("NVM subsystem").isEqualTo((byte) 2);
      String address = text(log, i * RECORD + 512, 256);
      String port = text(log, i * RECORD + 32, 32);
      found.add(address + " " + port + " " + text(log, i * RECORD + 256, 256));
    }
    return found;
  }

  private static String at(URI endpoint) {
    return endpoint.getHost() + " " + endpoint.getPort() + " " + endpoint.getPath().substring(1);
  }

  private static String text(ByteBuffer page, int at, int length) {
    String field = new String(Bytes.of(page, at, length), StandardCharsets.UTF_8);
    return field.replace('\0', ' ').strip();
  }
}

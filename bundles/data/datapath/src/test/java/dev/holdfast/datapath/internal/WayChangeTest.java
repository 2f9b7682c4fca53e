package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.datapath.HeldRequests;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.ServingState.Way;
import dev.holdfast.datapath.internal.condition.ServingCondition;
import dev.holdfast.datapath.testkit.FakePortal;
import dev.holdfast.datapath.testkit.FakeRegister;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hosts that have both ways of a volume as paths change from one to the other. */
class WayChangeTest {
  private static final String ENGINE = "vol-e-0";
  private static final IoLimits LIMITS = new IoLimits(10, 0, 0, 0, 0, 0, 1);
  private static final URI PORTAL = URI.create("nbd://127.0.0.1:10809/vol");
  private static final URI EXPORT = URI.create("nbd://outside/vol");

  private final LastingMachine machine = new LastingMachine();
  private final InstalledPlugins plugins = new InstalledPlugins();
  private final FakePortal portal = new FakePortal();
  private final FakeRegister register = new FakeRegister();
  private final MemoryResourceStore store = new MemoryResourceStore();
  private Instant now = Instant.EPOCH.plusSeconds(60);
  private final LocalAttachedVolumes volumes =
      new LocalAttachedVolumes(
          plugins, Runnable::run, VolumeActivity.notKept(), () -> now, "node-1");
  private final LocalAttachedVolume attached = volumes.obtain(ENGINE, "vol").orElseThrow();
  private final Host host = new Host();

  /** The host of this node: records each requested set of paths, and what serves at that time. */
  private final class Host implements HostPaths {
    private final List<List<URI>> asked = new ArrayList<>();
    private List<URI> paths = List.of();
    private boolean reachesSecond = true;

    @Override
    public boolean canChange(String volume, URI endpoint) {
      return paths.contains(endpoint);
    }

    @Override
    public void connect(String volume, List<URI> endpoints) throws StorageException {
      asked.add(endpoints);
      assertThat(servingPaths()).hasSize(1);
      if (endpoints.size() > 1 && !reachesSecond) {
        throw new StorageException(ErrorCode.UNREACHABLE, "the second path does not answer");
      }
      paths = endpoints;
    }

    /** Returns the paths of this host by which it is served. */
    private List<URI> servingPaths() {
      List<URI> serving = new ArrayList<>();
      if (paths.contains(PORTAL) && portal.serves("vol")) {
        serving.add(PORTAL);
      }
      if (paths.contains(EXPORT) && machine.serves("nbd")) {
        serving.add(EXPORT);
      }
      return serving;
    }
  }

  @BeforeEach
  void install() throws Exception {
    Engine created = store.create(VolumeResources.engine("node-1", DesireState.RUNNING));
    store.updateStatus(created.withStatus(created.status().withNodeID("node-1")));
    machine.hasPaths = true;
    portal.offerPaths(true);
    volumes.addPortal(portal);
    volumes.addStore(store);
    volumes.hostPaths(host);
    plugins.addEngine(new LastingEngine(machine));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private OpenParameters opening() {
    ReplicaLocation replica =
        new ReplicaLocation("vol", "vol-r-1", "node-1", Path.of("/disk"), "vol-1");
    return new OpenParameters(
        "fake",
        listener ->
            new OpenRequest(
                "vol", LastingMachine.SIZE, "node-1", List.of(replica), register, listener),
        "nbd");
  }

  private void serve(Way way) {
    attached.open(opening());
    attached.publish("nbd");
    host.paths = List.of(way == Way.NATIVE ? EXPORT : PORTAL);
    assertServed(way);
  }

  private void later(Duration time) {
    now = now.plus(time);
    attached.catchUp();
  }

  private void assertServed(Way way) {
    assertThat(attached.status().serving().orElseThrow().way()).isEqualTo(way);
    URI endpoint = way == Way.NATIVE ? EXPORT : PORTAL;
    assertThat(attached.status().endpoint()).isEqualTo(endpoint.toString());
    assertThat(host.paths).containsExactly(endpoint);
    assertThat(host.servingPaths()).containsExactly(endpoint);
    assertThat(portal.exports().contains("vol")).isEqualTo(way == Way.PORTAL);
    assertThat(machine.exports.isEmpty()).isEqualTo(way == Way.PORTAL);
  }

  private Condition condition() throws StorageException {
    Engine stored = store.get(Engine.KIND, ENGINE).orElseThrow();
    return Condition.find(stored.status().conditions(), ServingCondition.TYPE).orElseThrow();
  }

  @Test
  void hostsChangeToThePortalForALimitAndBackAfterItsRemoval() throws Exception {
    serve(Way.NATIVE);
    machine.keepsLimits = false;
    attached.limit(LIMITS);
    assertServed(Way.PORTAL);
    assertThat(condition().status()).isEqualTo(Condition.Status.FALSE);
    assertThat(condition().reason()).isEqualTo("LimitUnsupported");
    assertThat(host.asked).containsExactly(List.of(EXPORT, PORTAL), List.of(PORTAL));
    host.asked.clear();
    attached.limit(IoLimits.NONE);
    later(Duration.ofMinutes(1));
    assertServed(Way.NATIVE);
    assertThat(condition().status()).isEqualTo(Condition.Status.TRUE);
    assertThat(host.asked).containsExactly(List.of(PORTAL, EXPORT), List.of(EXPORT));
  }

  @Test
  void wayStaysWhenTheHostCannotConnectTheSecondPath() throws Exception {
    serve(Way.NATIVE);
    host.reachesSecond = false;
    machine.keepsLimits = false;
    attached.limit(LIMITS);
    assertServed(Way.NATIVE);
    assertThat(condition().reason()).isEqualTo("LimitUnsupported");
    attached.catchUp();
    assertThat(host.asked).hasSize(2);
    host.reachesSecond = true;
    later(Duration.ofMinutes(1));
    assertServed(Way.PORTAL);
  }

  @Test
  void wayStaysWhenNoInitiatorOfThisHostHasTheVolume() throws Exception {
    serve(Way.NATIVE);
    host.paths = List.of();
    machine.keepsLimits = false;
    attached.limit(LIMITS);
    assertThat(portal.exports()).isEmpty();
    assertThat(host.asked).isEmpty();
    assertThat(condition().message()).contains("attached again");
  }

  @Test
  void wayStaysWhenTheProtocolHasNoPaths() {
    portal.offerPaths(false);
    serve(Way.NATIVE);
    machine.keepsLimits = false;
    attached.limit(LIMITS);
    assertServed(Way.NATIVE);
    assertThat(host.asked).isEmpty();
  }

  @Test
  void wayStaysWhileItsRequestsAreHeld() throws Exception {
    serve(Way.NATIVE);
    HeldRequests hold = attached.hold(Duration.ofSeconds(1));
    machine.keepsLimits = false;
    attached.limit(LIMITS);
    hold.close();
    assertThat(host.servingPaths()).containsExactly(EXPORT);
    later(Duration.ofMinutes(1));
    assertServed(Way.PORTAL);
  }

  @Test
  void reservationsKeepHostsAtThePortal() throws Exception {
    machine.keepsLimits = false;
    attached.limit(LIMITS);
    serve(Way.PORTAL);
    Engine present = store.get(Engine.KIND, ENGINE).orElseThrow();
    store.update(
        present.withMetadata(
            present
                .metadata()
                .withAnnotations(Map.of(Engine.EXPORT_ANNOTATIONS + "reservations", "key"))));
    attached.limit(IoLimits.NONE);
    later(Duration.ofMinutes(1));
    assertServed(Way.PORTAL);
    assertThat(condition().reason()).isEqualTo("ReservationsHeld");
  }

  @Test
  void volumeReturnsToThePortalWhenOtherHostsUseIt() throws Exception {
    machine.keepsLimits = false;
    attached.limit(LIMITS);
    serve(Way.PORTAL);
    portal.connect(1);
    attached.limit(IoLimits.NONE);
    assertThat(host.servingPaths()).containsExactly(EXPORT);
    assertThat(attached.status().serving().orElseThrow().way()).isEqualTo(Way.CHANGING);
    assertThat(condition().status()).isEqualTo(Condition.Status.UNKNOWN);
    later(WayChanger.FOREIGN);
    assertServed(Way.PORTAL);
    assertThat(condition().reason()).isEqualTo("OtherHosts");
    later(Duration.ofMinutes(1));
    assertServed(Way.PORTAL);
  }

  @Test
  void formerPathIsWithdrawnAfterItsClientsLeft() {
    machine.keepsLimits = false;
    attached.limit(LIMITS);
    serve(Way.PORTAL);
    portal.connect(1);
    attached.limit(IoLimits.NONE);
    portal.connect(0);
    later(Duration.ofSeconds(1));
    assertServed(Way.NATIVE);
  }

  @Test
  void exportThatIsNotWithdrawnIsWithdrawnLater() throws Exception {
    serve(Way.NATIVE);
    machine.keepsLimits = false;
    machine.hangsOnWithdrawal = true;
    attached.limit(LIMITS);
    assertThat(host.servingPaths()).containsExactly(PORTAL);
    assertThat(condition().status()).isEqualTo(Condition.Status.UNKNOWN);
    machine.hangsOnWithdrawal = false;
    later(Duration.ofSeconds(1));
    assertServed(Way.PORTAL);
  }

  @Test
  void closingEndsBothWays() {
    serve(Way.NATIVE);
    machine.keepsLimits = false;
    machine.hangsOnWithdrawal = true;
    attached.limit(LIMITS);
    machine.hangsOnWithdrawal = false;
    assertThat(attached.close()).isDone();
    assertThat(portal.exports()).isEmpty();
    assertThat(machine.exports).isEmpty();
  }
}

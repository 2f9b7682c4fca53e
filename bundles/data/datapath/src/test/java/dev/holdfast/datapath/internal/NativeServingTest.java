package dev.holdfast.datapath.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.datapath.AttachedVolumeStatus.Phase;
import dev.holdfast.datapath.HeldRequests;
import dev.holdfast.datapath.InstalledEngine;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.datapath.ServingState.Way;
import dev.holdfast.datapath.internal.condition.ServingCondition;
import dev.holdfast.datapath.internal.hosts.ExportHosts;
import dev.holdfast.datapath.internal.hosts.ListedInitiators;
import dev.holdfast.datapath.testkit.FakePortal;
import dev.holdfast.datapath.testkit.FakeRegister;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportKey;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.osgi.framework.Version;

/** Steps of a volume that its engine can export, one after the other on one thread. */
class NativeServingTest {
  private static final String VOLUME = "vol";
  private static final String ENGINE = "vol-e-0";
  private static final IoLimits LIMITS = new IoLimits(10, 0, 0, 0, 0, 0, 1);
  private static final Duration DRAIN = Duration.ofSeconds(1);

  private final InstantSource clock = InstantSource.fixed(Instant.EPOCH.plusSeconds(60));
  private final LastingMachine machine = new LastingMachine();
  private final LastingEngine engine = new LastingEngine(machine);
  private final InstalledPlugins plugins = new InstalledPlugins();
  private final FakePortal portal = new FakePortal();
  private final FakeRegister register = new FakeRegister();
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final Map<String, String> properties = new HashMap<>();
  private final ListedInitiators clients = new ListedInitiators();
  private LocalAttachedVolumes volumes = volumes();
  private LocalAttachedVolume attached = volumes.obtain(ENGINE, VOLUME).orElseThrow();
  private Optional<RegionCopyPlan> copying = Optional.empty();

  private LocalAttachedVolumes volumes() {
    return new LocalAttachedVolumes(
        plugins,
        Runnable::run,
        VolumeActivity.notKept(),
        clock,
        "node-1",
        new ExportHosts(name -> Optional.ofNullable(properties.get(name))));
  }

  @BeforeEach
  void install() throws Exception {
    Engine created = store.create(VolumeResources.engine("node-1", DesireState.RUNNING));
    store.updateStatus(created.withStatus(created.status().withNodeID("node-1")));
    volumes.addPortal(portal);
    volumes.addStore(store);
    install(engine, 1, "1.0");
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void install(LastingEngine installed, long bundle, String version) {
    plugins.add(
        new InstalledEngine(installed, bundle, "outside", Version.parseVersion(version), 0));
  }

  private OpenParameters opening(String frontend) {
    ReplicaLocation replica =
        new ReplicaLocation(VOLUME, "vol-r-1", "node-1", Path.of("/disk"), "vol-1");
    return new OpenParameters(
        "fake",
        new OpenParameters.RequestSource() {
          @Override
          public OpenRequest request(EngineListener listener) {
            return new OpenRequest(
                VOLUME, LastingMachine.SIZE, "node-1", List.of(replica), register, listener);
          }

          @Override
          public Optional<RegionCopyPlan> copying() {
            return copying;
          }
        },
        frontend);
  }

  private void serve(String frontend) {
    attached.open(opening(frontend));
    attached.publish(frontend);
  }

  private void assertServed(Way way, String reason) {
    assertThat(attached.status().phase()).isEqualTo(Phase.OPEN);
    assertThat(attached.status().serving().orElseThrow().way()).isEqualTo(way);
    assertThat(attached.status().serving().orElseThrow().reason()).isEqualTo(reason);
    assertThat(portal.exports().contains(VOLUME)).isEqualTo(way == Way.PORTAL);
    assertThat(machine.exports.isEmpty()).isEqualTo(way == Way.PORTAL);
  }

  private Engine stored() throws StorageException {
    return store.get(Engine.KIND, ENGINE).orElseThrow();
  }

  private Optional<Condition> condition() throws StorageException {
    return Condition.find(stored().status().conditions(), ServingCondition.TYPE);
  }

  @Test
  void engineExportsVolumeWhenItSupportsTheProtocol() throws Exception {
    serve("nbd");
    assertServed(Way.NATIVE, "Exported");
    assertThat(stored().status().endpoint()).isEqualTo("nbd://outside/vol");
    assertThat(condition().orElseThrow().status()).isEqualTo(Condition.Status.TRUE);
    assertThat(machine.hostWrites("nbd", 7, 1)).isTrue();
    attached.publish("");
    assertThat(machine.exports).isEmpty();
    assertThat(stored().status().endpoint()).isEmpty();
    assertThat(condition()).isEmpty();
  }

  @Test
  void protocolWithoutFrontendIsServedWithoutPortal() {
    volumes.removePortal(portal);
    serve("outside");
    assertServed(Way.NATIVE, "Exported");
    attached.publish("iscsi");
    assertThat(machine.exports).isEmpty();
    assertThat(attached.status().failure().orElseThrow().getMessage())
        .contains("no portal is installed", "does not export protocol iscsi");
  }

  @Test
  void portalServesProtocolThatTheEngineDoesNotSupport() throws Exception {
    serve("iscsi");
    assertServed(Way.PORTAL, "ProtocolNotExported");
    assertThat(condition().orElseThrow().status()).isEqualTo(Condition.Status.FALSE);
    assertThat(condition().orElseThrow().message()).contains("iscsi", "nbd");
  }

  @Test
  void claimIsStoredBeforeTheEngineExports() {
    volumes.removeStore(store);
    serve("nbd");
    assertThat(machine.exports).isEmpty();
    assertThat(attached.status().failure()).isPresent();
    volumes.addStore(store);
    attached.publish("nbd");
    assertServed(Way.NATIVE, "Exported");
  }

  @Test
  void portalServesUntilTheNextAttachWhileContentIsCopied() throws Exception {
    copying = Optional.of(new RegionCopyPlan(LastingMachine.SIZE, 4096, new BitSet()));
    serve("nbd");
    assertServed(Way.PORTAL, "FirstContent");
    BitSet all = new BitSet();
    all.set(0, attached.copying().orElseThrow().plan().regions());
    attached.copying().orElseThrow().recorded(all);
    attached.catchUp();
    assertServed(Way.PORTAL, "NextAttach");
    assertThat(attached.close()).isDone();
    copying = Optional.empty();
    attached = volumes.obtain(ENGINE, VOLUME).orElseThrow();
    serve("nbd");
    assertServed(Way.NATIVE, "Exported");
  }

  @Test
  void reservationsKeepTheVolumeAtThePortal() throws Exception {
    Engine present = stored();
    store.update(
        present.withMetadata(
            present
                .metadata()
                .withAnnotations(Map.of(Engine.EXPORT_ANNOTATIONS + "reservations", "key"))));
    serve("nbd");
    assertServed(Way.PORTAL, "ReservationsHeld");
  }

  @Test
  void limitsBelongToTheExport() {
    attached.limit(LIMITS);
    serve("nbd");
    assertThat(machine.exports.get("nbd").request.limits().requests()).isEqualTo(10);
    attached.limit(new IoLimits(20, 0, 0, 0, 0, 0, 1));
    assertThat(machine.exports.get("nbd").request.limits().requests()).isEqualTo(20);
  }

  @Test
  void limitThatTheExportRefusesLeadsToThePortal() throws Exception {
    machine.keepsLimits = false;
    attached.limit(LIMITS);
    serve("nbd");
    assertServed(Way.PORTAL, "LimitUnsupported");
    assertThat(condition().orElseThrow().message()).contains("limit requests");
  }

  @Test
  void limitThatIsRefusedInUseLeadsToThePortalAtTheNextAttach() throws Exception {
    serve("nbd");
    machine.keepsLimits = false;
    attached.limit(LIMITS);
    assertServed(Way.NATIVE, "LimitUnsupported");
    assertThat(condition().orElseThrow().message()).contains("attached again");
    attached.limit(IoLimits.NONE);
    assertServed(Way.NATIVE, "Exported");
    attached.limit(LIMITS);
    assertThat(attached.close()).isDone();
    attached = volumes.obtain(ENGINE, VOLUME).orElseThrow();
    attached.limit(LIMITS);
    serve("nbd");
    assertServed(Way.PORTAL, "LimitUnsupported");
  }

  @Test
  void limitOfHeldExportIsSetLater() throws Exception {
    serve("nbd");
    HeldRequests hold = attached.hold(DRAIN);
    attached.limit(LIMITS);
    assertThat(machine.exports.get("nbd").request.limits().isAny()).isFalse();
    hold.close();
    attached.catchUp();
    assertThat(machine.exports.get("nbd").request.limits().isAny()).isTrue();
  }

  private List<ExportHost> hosts() {
    return machine.exports.get("nvmeof").request.hosts();
  }

  @Test
  void exportAdmitsTheClientsOfTheVolumeByTheirKeys() throws Exception {
    machine.protocols = Set.of("nvmeof");
    properties.put("holdfast.frontend.authentication", "required");
    volumes.addClients(clients);
    serve("nvmeof");
    assertThat(hosts()).isEmpty();
    assertThat(condition().orElseThrow().message()).contains("holdfast client add");
    clients.add("nqn.a", false, VOLUME).dhchap("nqn.a", "key", "own");
    clients.add("nqn.b", false, "other").dhchap("nqn.b", "key", "");
    attached.catchUp();
    assertThat(hosts())
        .containsExactly(
            new ExportHost(
                "nqn.a",
                Optional.of(new ExportKey("key")),
                Optional.of(new ExportKey("own")),
                Optional.empty()));
    assertThat(machine.exports.get("nvmeof").request.security().authenticationRequired()).isTrue();
    volumes.report(attached);
    assertThat(condition().orElseThrow().message()).isEmpty();
    clients.dhchap("nqn.a", "new", "");
    attached.catchUp();
    assertThat(hosts().get(0).hostKey()).contains(new ExportKey("new"));
    clients.add("nqn.a", false);
    attached.catchUp();
    assertThat(hosts()).isEmpty();
  }

  @Test
  void hostsOfAnAdoptedExportStayUntilClientsAreKnown() throws Exception {
    machine.protocols = Set.of("nvmeof");
    clients.add("nqn.a", false, VOLUME).dhchap("nqn.a", "key", "");
    volumes.addClients(clients);
    serve("nvmeof");
    List<ExportHost> before = hosts();
    assertThat(before).hasSize(2);
    volumes.stop();
    nextProcess();
    volumes.addClients(clients);
    clients.ready = false;
    attached.open(opening("nvmeof"));
    assertThat(hosts()).isEqualTo(before);
    clients.ready = true;
    attached.publish("nvmeof");
    assertThat(hosts()).isEqualTo(before);
    assertServed(Way.NATIVE, "Exported");
  }

  @Test
  void portalServesWhereOnlyTheFrontendHasTheKeys() throws Exception {
    machine.protocols = Set.of("nvmeof");
    properties.put("holdfast.nvmeof.dhchap", "/etc/keys");
    serve("nvmeof");
    assertServed(Way.PORTAL, "ExportUnsupported");
    assertThat(condition().orElseThrow().message()).contains("holdfast.nvmeof.dhchap");
  }

  @Test
  void holdStopsHostsOfTheExport() throws Exception {
    serve("nbd");
    HeldRequests hold = attached.hold(DRAIN);
    assertThat(machine.hostWrites("nbd", 0, 1)).isFalse();
    assertThatThrownBy(() -> attached.hold(DRAIN)).hasMessageContaining("holds its requests");
    hold.close();
    hold.close();
    assertThat(machine.hostWrites("nbd", 0, 1)).isTrue();
    machine.exports.get("nbd").held = true;
    assertThatThrownBy(() -> attached.hold(DRAIN)).hasMessageContaining("is held");
    machine.exports.get("nbd").held = false;
    attached.hold(DRAIN).close();
  }

  @Test
  void statisticsComeFromTheExport() {
    serve("nbd");
    machine.hostWrites("nbd", 0, 1);
    machine.hostWrites("nbd", 0, 2);
    EngineHealth first = attached.health();
    assertThat(attached.health().ended()).isEqualTo(2);
    assertThat(first.isWaiting()).isFalse();
    assertThat(attached.requests()).isEqualTo(2);
  }

  @Test
  void hostsContinueWhileBundlesReplaceEachOther() {
    serve("nbd");
    LastingEngine newer = new LastingEngine(machine);
    install(newer, 2, "1.1");
    assertThat(newer.calls).containsExactly("resume");
    assertServed(Way.NATIVE, "Exported");
    assertThat(machine.hostWrites("nbd", 0, 1)).isTrue();
    plugins.removeEngine(engine);
    plugins.removeEngine(newer);
    assertThat(attached.status().phase()).isEqualTo(Phase.HELD);
    assertThat(attached.status().endpoint()).isEqualTo("nbd://outside/vol");
    assertThat(machine.hostWrites("nbd", 0, 2)).isTrue();
    attached.limit(LIMITS);
    install(new LastingEngine(machine), 3, "1.2");
    assertServed(Way.NATIVE, "Exported");
    attached.catchUp();
    assertThat(machine.exports.get("nbd").request.limits().isAny()).isTrue();
    assertThat(machine.generation).isEqualTo(1);
  }

  @Test
  void bundleThatCannotExportAsWantedReopensTheVolume() {
    attached.limit(LIMITS);
    serve("nbd");
    machine.keepsLimits = false;
    install(new LastingEngine(machine), 2, "1.1");
    assertThat(attached.status().phase()).isEqualTo(Phase.FAILED);
    assertThat(machine.exports).isEmpty();
    serve("nbd");
    assertServed(Way.PORTAL, "LimitUnsupported");
  }

  @Test
  void changedExportIsFoundAgain() {
    serve("nbd");
    machine.exports.clear();
    machine.open.orElseThrow().listener.exportChanged();
    assertServed(Way.NATIVE, "Exported");
    assertThat(machine.hostWrites("nbd", 0, 1)).isTrue();
  }

  @Test
  void exportThatIsNotWithdrawnKeepsTheVolumeFromThePortal() {
    serve("nbd");
    machine.hangsOnWithdrawal = true;
    attached.publish("iscsi");
    assertThat(portal.exports()).isEmpty();
    assertThat(attached.status().failure()).isPresent();
    machine.hangsOnWithdrawal = false;
    attached.publish("iscsi");
    assertServed(Way.PORTAL, "ProtocolNotExported");
  }

  @Test
  void removalOfThePortalDoesNotAffectTheExport() {
    serve("nbd");
    volumes.removePortal(portal);
    assertThat(machine.hostWrites("nbd", 0, 1)).isTrue();
    assertThat(attached.status().endpoint()).isNotEmpty();
  }

  @Test
  void closingWithdrawsTheExport() {
    serve("nbd");
    assertThat(attached.close()).isDone();
    assertThat(machine.exports).isEmpty();
    assertThat(machine.open).isEmpty();
  }

  @Test
  void exportOutlivesTheProcessAndIsAdopted() throws Exception {
    attached.limit(LIMITS);
    serve("nbd");
    volumes.stop();
    assertThat(machine.open).isEmpty();
    assertThat(machine.hostWrites("nbd", 0, 1)).isTrue();
    assertThat(stored().status().endpoint()).isEqualTo("nbd://outside/vol");
    nextProcess();
    attached.limit(LIMITS);
    attached.open(opening("nbd"));
    assertServed(Way.NATIVE, "Exported");
    assertThat(engine.calls).containsSubsequence("open", "adopt").doesNotContain("withdrawLeft");
    assertThat(register.read().generation()).isEqualTo(1);
  }

  private void nextProcess() {
    volumes = volumes();
    volumes.addPortal(portal);
    volumes.addStore(store);
    attached = volumes.obtain(ENGINE, VOLUME).orElseThrow();
  }

  @Test
  void exportThatIsNotWantedAnyMoreIsWithdrawnBeforeTheVolumeOpens() {
    serve("nbd");
    volumes.stop();
    nextProcess();
    attached.open(opening(""));
    assertThat(engine.calls).containsSubsequence("withdrawLeft", "open");
    assertThat(machine.exports).isEmpty();
    assertThat(register.read().generation()).isEqualTo(2);
  }

  @Test
  void exportOfAnotherProtocolIsWithdrawnWhenTheVolumeIsAdopted() {
    serve("nbd");
    volumes.stop();
    nextProcess();
    attached.open(opening("outside"));
    assertServed(Way.NATIVE, "Exported");
    assertThat(machine.exports).containsOnlyKeys("outside");
    assertThat(register.read().generation()).isEqualTo(1);
  }

  @Test
  void exportOfAnotherProtocolIsWithdrawnBeforeThePortalServes() {
    serve("nbd");
    volumes.stop();
    nextProcess();
    attached.open(opening("iscsi"));
    attached.open(opening("iscsi"));
    attached.publish("iscsi");
    assertServed(Way.PORTAL, "ProtocolNotExported");
  }

  /** Listens to nothing. */
  private static final class Unheard implements EngineListener {
    @Override
    public void replicaChanged(String replica, MemberMode mode, String reason) {}

    @Override
    public void failed(StorageException cause) {}
  }

  @Test
  void exportOfAnEarlierGenerationIsNotAdopted() throws Exception {
    serve("nbd");
    volumes.stop();
    new LastingEngine(new LastingMachine()).open(opening("nbd").requests().request(new Unheard()));
    nextProcess();
    attached.open(opening("nbd"));
    assertThat(engine.calls).containsSubsequence("adopt", "withdrawLeft", "open");
    assertThat(register.read().generation()).isEqualTo(3);
    assertThat(machine.exports).isEmpty();
  }
}

package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.IoFlags;
import dev.holdfast.block.testkit.DeviceIo;
import dev.holdfast.block.testkit.Outcome;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.OpenOptions;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.testkit.InMemoryRegister;
import dev.holdfast.engine.testkit.RecordingListener;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicas on other nodes, with all network failures that two and three nodes can have. */
@Timeout(60)
class RemoteMemberTest {
  private static final long SIZE = 64L << 20;
  private static final Duration SHORT = Duration.ofMillis(300);

  @TempDir private Path disks;
  private final ExecutorService executor = Executors.newCachedThreadPool();
  private final Map<String, ReplicaHost> hosts = new HashMap<>();
  private final Map<String, String> boots = new HashMap<>();
  private final InMemoryRegister register = new InMemoryRegister();
  private final RecordingListener listener = new RecordingListener();
  private final List<SparseEngine> engines = new ArrayList<>();
  private final MemoryNetwork network = new MemoryNetwork(this::host, executor);
  private OpenOptions options = new OpenOptions(Set.of(), false, SHORT);

  @AfterEach
  void stop() {
    register.become(InMemoryRegister.Mode.REACHABLE);
    List.of("a", "b", "c").forEach(network::heal);
    engines.forEach(SparseEngine::stop);
    executor.shutdown();
  }

  private synchronized ReplicaHost host(String node) {
    return hosts.computeIfAbsent(
        node,
        name ->
            new ReplicaHost(
                LocalReplicaDirectory::new, boots.getOrDefault(name, "boot of " + name)));
  }

  /** Replaces the host's process, optionally in another boot. */
  private synchronized void restartHost(String node, boolean reboot) {
    hosts.remove(node);
    if (reboot) {
      boots.put(node, "another boot of " + node);
    }
  }

  private SparseEngine engine() {
    return engine(network);
  }

  private SparseEngine engine(ReplicaLinks links) {
    SparseEngine engine =
        new SparseEngine(
            LocalReplicaDirectory::new,
            "boot of here",
            Executors.newCachedThreadPool(),
            Duration.ofMillis(20),
            links);
    engines.add(engine);
    return engine;
  }

  private ReplicaLocation replica(String node, boolean witness) throws Exception {
    ReplicaLocation location =
        new ReplicaLocation("vol", "r-" + node, node, disks.resolve(node), "vol-" + node, witness);
    new ReplicaStorage().provision(location, SIZE);
    return location;
  }

  private List<ReplicaLocation> replicas(String... nodes) throws Exception {
    List<ReplicaLocation> locations = new ArrayList<>();
    for (String node : nodes) {
      locations.add(replica(node, false));
    }
    return locations;
  }

  private OpenVolume open(SparseEngine engine, List<ReplicaLocation> replicas) throws Exception {
    return engine.open(new OpenRequest("vol", SIZE, "here", replicas, register, listener, options));
  }

  private static byte[] bytes(int value) {
    byte[] content = new byte[8192];
    Arrays.fill(content, (byte) value);
    return content;
  }

  private static Outcome write(OpenVolume volume, int value) {
    Outcome outcome = new Outcome();
    volume.device().write(0, DeviceIo.direct(bytes(value)), IoFlags.NONE, outcome);
    return outcome;
  }

  private static byte[] read(OpenVolume volume) throws Exception {
    return new DeviceIo(volume.device()).read(0, 8192);
  }

  @Test
  void clientsDoNotNoticeALostConnection() throws Exception {
    OpenVolume volume = open(engine(), replicas("here", "a", "b"));
    write(volume, 1).get();
    Membership before = register.record();
    for (int i = 2; i < 30; i++) {
      Outcome first = write(volume, i);
      network.hangUp(i % 2 == 0 ? "a" : "b");
      first.get();
      assertThat(read(volume)).isEqualTo(bytes(i));
    }
    new DeviceIo(volume.device()).flush();
    assertThat(register.record()).isEqualTo(before);
    assertThat(volume.replicas()).doesNotContainValue(MemberMode.ERR);
    assertThat(network.connections()).isGreaterThan(2);
    volume.close();
    assertAllEqual("here", "a", "b");
  }

  private void assertAllEqual(String... nodes) throws Exception {
    for (String node : nodes) {
      assertThat(Arrays.equals(head(node), head(nodes[0]))).as(node).isTrue();
    }
  }

  private byte[] head(String node) throws Exception {
    Path directory = disks.resolve(node).resolve("replicas/vol-" + node);
    return Files.readAllBytes(directory.resolve(LonghornLayout.FIRST_HEAD));
  }

  @Test
  void callEndedByTheNextSessionOfTheSameEngineIsRepeated() throws Exception {
    AtomicBoolean first = new AtomicBoolean(true);
    ReplicaLinks links =
        (location, token, timeout, watch) -> {
          ReplicaSessionLink real = network.connect(location, token, timeout, watch);
          return (ReplicaSessionLink)
              Proxy.newProxyInstance(
                  ReplicaSessionLink.class.getClassLoader(),
                  new Class<?>[] {ReplicaSessionLink.class},
                  (proxy, method, arguments) -> {
                    if (method.getName().equals("mark") && first.getAndSet(false)) {
                      network.hangUp("a");
                      throw new StorageException(ErrorCode.FORBIDDEN, "a: the session ended");
                    }
                    return method.invoke(real, arguments);
                  });
        };
    OpenVolume volume = open(engine(links), replicas("here", "a"));
    write(volume, 1).get();
    assertThat(first).isFalse();
    assertThat(volume.replicas()).doesNotContainValue(MemberMode.ERR);
  }

  @Test
  void serverThatRestartsInTheSameBootReceivesUnansweredRequestsAgain() throws Exception {
    OpenVolume volume = open(engine(), replicas("here", "a"));
    write(volume, 1).get();
    network.cutOff("a");
    Outcome waiting = write(volume, 2);
    hosts.get("a").endAll();
    restartHost("a", false);
    network.heal("a");
    waiting.get();
    assertThat(volume.replicas()).containsEntry("r-a", MemberMode.RW);
    volume.close();
    assertAllEqual("here", "a");
  }

  @Test
  void rebootedServerIsDropped() throws Exception {
    OpenVolume volume = open(engine(), replicas("here", "a"));
    write(volume, 1).get();
    network.cutOff("a");
    Outcome waiting = write(volume, 2);
    hosts.get("a").endAll();
    restartHost("a", true);
    network.heal("a");
    waiting.get();
    listener.awaitMode("r-a", MemberMode.ERR);
    assertThat(register.record().members()).hasSize(1);
    assertThat(read(volume)).isEqualTo(bytes(2));
  }

  // A witness has no connection whose loss would show the failure.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void restartedWitnessStillVotes(boolean reboot) throws Exception {
    OpenVolume volume =
        open(engine(), List.of(replica("here", false), replica("a", false), replica("c", true)));
    write(volume, 1).get();
    hosts.get("c").endAll();
    restartHost("c", reboot);
    register.become(InMemoryRegister.Mode.UNREACHABLE);
    network.cutOff("a");
    write(volume, 2).get();
    assertThat(read(volume)).isEqualTo(bytes(2));
    assertThat(volume.replicas())
        .containsEntry("r-a", MemberMode.ERR)
        .containsEntry("r-c", MemberMode.RW);
  }

  @Test
  void witnessThatAdmittedALaterEngineEndsTheVolume() throws Exception {
    List<ReplicaLocation> replicas =
        List.of(replica("here", false), replica("a", false), replica("c", true));
    OpenVolume volume = open(engine(), replicas);
    write(volume, 1).get();
    Token later = new Token(register.record().generation() + 1, 1);
    var unused = hosts.get("c").fence(replicas.get(2), later, by -> {});
    network.cutOff("a");
    assertThatThrownBy(write(volume, 2)::get)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
  }

  @Test
  void silentReplicaIsDroppedAfterTheTimeOutWithoutAnError() throws Exception {
    OpenVolume volume = open(engine(), replicas("here", "a", "b"));
    write(volume, 1).get();
    network.silence("b");
    write(volume, 2).get();
    listener.awaitMode("r-b", MemberMode.ERR);
    assertThat(read(volume)).isEqualTo(bytes(2));
    // On a busy machine another replica may also exceed the time-out.
    assertThat(register.record().members()).hasSizeBetween(1, 2);
  }

  @Test
  void engineWithoutLinksWaitsAndDropsNoMember() throws Exception {
    OpenVolume volume = open(engine(), replicas("a", "b"));
    write(volume, 1).get();
    Membership before = register.record();
    network.cutOff("a");
    network.cutOff("b");
    Outcome waiting = write(volume, 2);
    Outcome alsoWaiting = new Outcome();
    volume.device().read(0, ByteBuffer.allocateDirect(8192), alsoWaiting);
    // More than fit into the time-out.
    network.awaitVainAttempts(12);
    assertThat(waiting.calls()).isZero();
    assertThat(alsoWaiting.calls()).isZero();
    assertThat(register.record()).isEqualTo(before);
    network.heal("a");
    network.heal("b");
    waiting.get();
    alsoWaiting.get();
  }

  @Test
  void changeInFlightDuringATakeoverIsNotAcknowledged() throws Exception {
    // The replica must not be dropped before the other engine has fenced it.
    options = new OpenOptions(Set.of(), false, Duration.ofSeconds(20));
    List<ReplicaLocation> replicas = replicas("here", "a");
    OpenVolume volume = open(engine(), replicas);
    write(volume, 1).get();
    network.cutOff("a");
    Outcome waiting = write(volume, 2);
    Token later = new Token(register.record().generation() + 1, 1);
    var unused = hosts.get("a").fence(replicas.get(1), later, by -> {});
    network.heal("a");
    assertThatThrownBy(waiting::get).isInstanceOf(StorageException.class);
  }

  @Test
  void firstChangeOfAnEngineWithoutLinksWaitsToo() throws Exception {
    OpenVolume volume = open(engine(), replicas("a", "b"));
    network.cutOff("a");
    network.cutOff("b");
    Outcome waiting = write(volume, 1);
    // More than fit into the time-out.
    network.awaitVainAttempts(12);
    assertThat(waiting.calls()).isZero();
    network.heal("a");
    network.heal("b");
    waiting.get();
    assertThat(read(volume)).isEqualTo(bytes(1));
  }

  @Test
  void volumeClosesWhileNoReplicaTakesItsFirstChange() throws Exception {
    OpenVolume volume = open(engine(), replicas("a", "b"));
    network.cutOff("a");
    network.cutOff("b");
    Outcome waiting = write(volume, 1);
    network.awaitVainAttempts(4);
    assertThatThrownBy(volume::close).isInstanceOf(StorageException.class);
    assertThat(waiting.ending()).isPresent();
  }

  @Test
  void volumeWithoutLinksCanBeClosed() throws Exception {
    OpenVolume volume = open(engine(), replicas("a", "b"));
    write(volume, 1).get();
    network.cutOff("a");
    network.cutOff("b");
    Outcome waiting = write(volume, 2);
    assertThatThrownBy(volume::close).isInstanceOf(StorageException.class);
    assertThat(waiting.ending()).isPresent();
  }

  @Test
  void twoReplicasPartedFromEachOtherAndFromTheStoreWaitForTheStore() throws Exception {
    OpenVolume volume = open(engine(), replicas("here", "a"));
    write(volume, 1).get();
    register.become(InMemoryRegister.Mode.UNREACHABLE);
    int refusals = register.refusals();
    network.cutOff("a");
    Outcome waiting = write(volume, 2);
    register.awaitRefusalAfter(refusals);
    assertThat(waiting.calls()).isZero();
    register.become(InMemoryRegister.Mode.REACHABLE);
    waiting.get();
    assertThat(register.record().members()).hasSize(1);
  }

  @Test
  void engineSeparatedFromTheMajorityNeverAcknowledges() throws Exception {
    List<ReplicaLocation> replicas = replicas("here", "a", "b");
    OpenVolume lonely = open(engine(), replicas);
    write(lonely, 1).get();
    register.become(InMemoryRegister.Mode.UNREACHABLE);
    int refusals = register.refusals();
    network.cutOff("a");
    network.cutOff("b");
    Outcome never = write(lonely, 2);
    register.awaitRefusalAfter(refusals);
    // Another node reaches the store and the other replicas, and continues.
    register.become(InMemoryRegister.Mode.REACHABLE);
    MemoryNetwork other = new MemoryNetwork(this::host, executor);
    OpenVolume next =
        engine(other)
            .open(
                new OpenRequest(
                    "vol", SIZE, "there", replicas.subList(1, 3), register, listener, options));
    write(next, 3).get();
    assertThatThrownBy(never::get)
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
    assertThat(read(next)).isEqualTo(bytes(3));
  }

  @Test
  void openingNeedsAMajorityOfThree() throws Exception {
    List<ReplicaLocation> replicas = replicas("here", "a", "b");
    OpenVolume volume = open(engine(), replicas);
    write(volume, 1).get();
    volume.close();
    network.cutOff("a");
    network.cutOff("b");
    assertThatThrownBy(() -> open(engine(), replicas))
        .hasMessageContaining("a majority of its 3 members")
        .hasMessageContaining("a cannot be reached");
    network.heal("b");
    OpenVolume next = open(engine(), replicas);
    assertThat(read(next)).isEqualTo(bytes(1));
    assertThat(next.replicas()).containsEntry("r-a", MemberMode.ERR);
  }

  @Test
  void witnessMakesAMajorityWithOneReplica() throws Exception {
    List<ReplicaLocation> replicas = new ArrayList<>(replicas("here", "a"));
    replicas.add(replica("c", true));
    OpenVolume volume = open(engine(), replicas);
    assertThat(register.record().members()).hasSize(3);
    write(volume, 1).get();
    register.become(InMemoryRegister.Mode.UNREACHABLE);
    network.cutOff("a");
    write(volume, 2).get();
    assertThat(read(volume)).isEqualTo(bytes(2));
    engines.get(0).stop();
    register.become(InMemoryRegister.Mode.REACHABLE);
    network.heal("a");
    // The stale replica and the witness are a majority, but the witness has the later epoch.
    assertThatThrownBy(() -> open(engine(), replicas.subList(1, 3)))
        .hasMessageContaining("none of its current replicas is reachable");
    assertThat(read(open(engine(), replicas))).isEqualTo(bytes(2));
  }

  @Test
  void salvageNeedsAPersonsWordAndIsRemembered() throws Exception {
    List<ReplicaLocation> replicas = replicas("here", "a");
    OpenVolume volume = open(engine(), replicas);
    write(volume, 1).get();
    network.cutOff("a");
    write(volume, 2).get();
    volume.close();
    network.heal("a");
    List<ReplicaLocation> behind = replicas.subList(1, 2);
    assertThatThrownBy(() -> open(engine(), behind))
        .hasMessageContaining("none of its current replicas is reachable");
    options = new OpenOptions(Set.of("r-a"), false, SHORT);
    assertThat(read(open(engine(), behind))).isEqualTo(bytes(1));
    assertThat(register.record().history())
        .last()
        .satisfies(epoch -> assertThat(epoch.reason()).contains("salvaged", "r-a"));
    options = new OpenOptions(Set.of("r-x"), false, SHORT);
    assertThatThrownBy(() -> open(engine(), behind)).hasMessageContaining("r-x");
  }
}

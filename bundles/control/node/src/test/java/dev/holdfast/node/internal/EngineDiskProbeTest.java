package dev.holdfast.node.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The report of a node about disks that are not directories. */
class EngineDiskProbeTest {
  private static final String DEVICE = "/dev/sdb";
  private static final Instant NOW = Instant.EPOCH;

  private final FakeDiskEngine.Pool pool = new FakeDiskEngine.Pool();
  private final InstalledPlugins plugins = new InstalledPlugins();

  @BeforeEach
  void connect() {
    pool.devices.put(DEVICE, FakeDiskEngine.BLANK);
  }

  private static Node node(String... paths) {
    Map<String, DiskSpec> disks = new java.util.TreeMap<>();
    for (int i = 0; i < paths.length; i++) {
      disks.put("d" + i, DiskSpec.EMPTY.withPath(paths[i]).withType(DiskType.DEVICE));
    }
    return Node.of("node-1", NodeSpec.EMPTY.withDisks(disks));
  }

  private Node looked(Node node) {
    Map<String, DiskStatus> disks = new NodeDisks(plugins, node).observe(List.of(node), NOW);
    return node.withStatus(node.status().withDiskStatus(disks));
  }

  private static DiskStatus first(Node node) {
    return node.status().diskStatus().get("d0");
  }

  private static Condition ready(DiskStatus status) {
    return Condition.find(status.conditions(), "Ready").orElseThrow();
  }

  private static void assertFault(DiskStatus status, String reason, String message) {
    assertThat(ready(status).status()).isEqualTo(Condition.Status.FALSE);
    assertThat(ready(status).reason()).isEqualTo(reason);
    assertThat(ready(status).message()).contains(message);
  }

  @Test
  void aBlankDeviceIsPreparedAndReportedByItsEngine() {
    plugins.addEngine(new FakeDiskEngine("pool", pool));
    DiskStatus status = first(looked(node(DEVICE)));
    assertThat(ready(status).status()).isEqualTo(Condition.Status.TRUE);
    assertThat(status.diskUUID()).isEqualTo("pool:" + DEVICE);
    assertThat(status.engine()).isEqualTo("pool");
    assertThat(status.type()).isEqualTo(DiskType.DEVICE);
    assertThat(status.storagePromisable().bytes()).isEqualTo(FakeDiskEngine.SIZE);
    assertThat(status.shared()).isTrue();
    assertThat(status.durable()).isFalse();
  }

  @Test
  void deviceWithContentIsRejectedWithTheKindOfContent() {
    plugins.addEngine(new FakeDiskEngine("pool", pool));
    pool.devices.put(DEVICE, "an ext4 filesystem");
    DiskStatus status = first(looked(node(DEVICE)));
    assertFault(status, "DiskForeign", "/dev/sdb holds an ext4 filesystem");
    assertThat(status.diskUUID()).isEmpty();
    assertThat(pool.devices).containsEntry(DEVICE, "an ext4 filesystem");
  }

  @Test
  void withoutAnEngineForItsKindADeviceIsNotTouched() {
    assertFault(first(looked(node(DEVICE))), "NoEngine", "no installed engine");
    assertThat(pool.devices).containsEntry(DEVICE, FakeDiskEngine.BLANK);
  }

  @Test
  void aBlankDeviceThatTwoEnginesCouldUseIsNotTouched() {
    plugins.addEngine(new FakeDiskEngine("pool", pool));
    plugins.addEngine(new FakeDiskEngine("other", pool));
    assertFault(first(looked(node(DEVICE))), "SeveralEngines", "other, pool");
    assertThat(pool.devices).containsEntry(DEVICE, FakeDiskEngine.BLANK);
  }

  @Test
  void deviceBelongsToOneOfTwoEngines() {
    plugins.addEngine(new FakeDiskEngine("pool", pool));
    plugins.addEngine(new FakeDiskEngine("other", pool));
    pool.devices.put(DEVICE, "pool:old");
    assertThat(first(looked(node(DEVICE))).engine()).isEqualTo("pool");
  }

  @Test
  void aKnownDeviceThatIsBlankLaterIsNeverPreparedAgain() {
    plugins.addEngine(new FakeDiskEngine("pool", pool));
    Node known = looked(node(DEVICE));
    pool.devices.put(DEVICE, FakeDiskEngine.BLANK);
    assertFault(first(looked(known)), "DiskChanged", "is blank");
    assertThat(pool.devices).containsEntry(DEVICE, FakeDiskEngine.BLANK);
    pool.devices.put(DEVICE, "pool:another");
    assertFault(
        first(looked(known)), "DiskChanged", "is disk pool:another, expected pool:/dev/sdb");
    pool.devices.remove(DEVICE);
    assertFault(first(looked(known)), "DiskAbsent", "no such device");
    assertThat(first(looked(known)).diskUUID()).isEqualTo("pool:" + DEVICE);
  }

  @Test
  void aKnownDeviceWaitsForItsEngine() {
    plugins.addEngine(new FakeDiskEngine("pool", pool));
    Node known = looked(node(DEVICE));
    InstalledPlugins others = new InstalledPlugins();
    others.addEngine(new FakeDiskEngine("other", pool));
    Map<String, DiskStatus> disks = new NodeDisks(others, known).observe(List.of(known), NOW);
    assertFault(disks.get("d0"), "NotInstalled", "engine pool");
  }

  @Test
  void oneDeviceUnderTwoPathsIsReadyOnce() {
    plugins.addEngine(new FakeDiskEngine("pool", pool));
    pool.devices.put(DEVICE, "pool:one");
    pool.devices.put("/dev/disk/by-id/one", "pool:one");
    Node node = looked(node(DEVICE, "/dev/disk/by-id/one"));
    assertThat(node.isDiskReady("d0")).isTrue();
    assertFault(node.status().diskStatus().get("d1"), "DiskTwice", "the same disk as d0");
  }

  @Test
  void aRemovedDiskIsReportedUntilItsEngineReleasedIt() {
    plugins.addEngine(new FakeDiskEngine("pool", pool));
    Node without = looked(node(DEVICE)).withSpec(NodeSpec.EMPTY);
    pool.busy.add(DEVICE);
    assertFault(first(looked(without)), "DiskBusy", "a volume is open");
    assertThat(looked(without).diskWithIdentity("pool:" + DEVICE)).isEmpty();
    pool.busy.clear();
    assertThat(looked(without).status().diskStatus()).isEmpty();
  }
}

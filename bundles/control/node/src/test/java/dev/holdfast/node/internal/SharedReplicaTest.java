package dev.holdfast.node.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.EmptyContent;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replica on a shared disk, on the node that owns it and on another. */
class SharedReplicaTest {
  private static final String NAME = "vol-r-1";
  private static final String DEVICE = "/dev/shared";
  private static final String IDENTITY = "pool:" + DEVICE;

  @TempDir private Path folder;
  private final MemoryResourceStore store = new MemoryResourceStore();
  private final FakeDiskEngine.Pool pool = new FakeDiskEngine.Pool();
  private RunningNode node;

  @BeforeEach
  void start() throws Exception {
    pool.devices.put(DEVICE, FakeDiskEngine.BLANK);
    Node here = VolumeResources.node(VolumeResources.NODE, folder);
    Map<String, DiskSpec> disks = new LinkedHashMap<>(here.spec().disks());
    disks.put("pool", DiskSpec.EMPTY.withPath(DEVICE).withType(DiskType.DEVICE));
    store.create(here.withSpec(here.spec().withDisks(disks)));
    node = new RunningNode(store, folder);
    node.plugins.addEngine(new FakeDiskEngine("pool", pool));
    Awaiting.until(
        store, Node.KIND, VolumeResources.NODE, n -> n.diskWithIdentity(IDENTITY).isPresent());
    store.create(
        Volume.of(
            VolumeResources.VOLUME,
            VolumeSpec.EMPTY
                .withSize(VolumeResources.SIZE)
                .withDataEngine("pool")
                .withEngineOptions(Map.of("mode", "linear"))));
    Replica replica =
        Replica.of(
            NAME,
            ReplicaSpec.EMPTY
                .withVolume(VolumeResources.VOLUME)
                .withDataEngine("pool")
                .withSize(VolumeResources.SIZE)
                .withDataDirectoryName(NAME)
                .withDiskUUID(IDENTITY));
    store.create(
        replica.withMetadata(ObjectMeta.named(NAME).plusFinalizer(ReplicaReconciler.FINALIZER)));
  }

  @AfterEach
  void stop() {
    node.close();
    store.close();
  }

  private void own(String owner) throws Exception {
    Replica stored = store.get(Replica.KIND, NAME).orElseThrow();
    store.updateStatus(stored.withStatus(stored.status().withOwnerID(owner)));
  }

  @Test
  void itsOwnerMakesItByOneRequestAndStaysTheOwner() throws Exception {
    own(VolumeResources.NODE);
    Replica made = Awaiting.until(store, Replica.KIND, NAME, r -> r.status().provisioned());
    assertThat(made.status().ownerID()).isEqualTo(VolumeResources.NODE);
    ReplicaRequest request = pool.replicas.get(NAME);
    assertThat(request.content()).isEqualTo(new EmptyContent());
    assertThat(request.options()).containsExactly(Map.entry("mode", "linear"));
    assertThat(request.location().disk().kind()).isEqualTo(DiskKind.DEVICE);
    assertThat(request.location().disk().diskId()).isEqualTo("pool");
    assertThat(request.location().nodeId()).isEqualTo(VolumeResources.NODE);
  }

  @Test
  void anotherNodeLeavesItToItsOwner() throws Exception {
    own("node-elsewhere");
    Replica witness = store.get(Replica.KIND, NAME).orElseThrow();
    store.create(VolumeResources.replica("bound", VolumeResources.NODE, folder));
    Awaiting.until(store, Replica.KIND, "bound", r -> !r.status().conditions().isEmpty());
    assertThat(pool.replicas).isEmpty();
    assertThat(store.get(Replica.KIND, NAME).orElseThrow()).isEqualTo(witness);
  }

  @Test
  void aDiskEntryThatIsRemovedTakesNoDataWithIt() throws Exception {
    own(VolumeResources.NODE);
    Awaiting.until(store, Replica.KIND, NAME, r -> r.status().provisioned());
    Node present = store.get(Node.KIND, VolumeResources.NODE).orElseThrow();
    Map<String, DiskSpec> disks = new LinkedHashMap<>(present.spec().disks());
    disks.remove("pool");
    store.update(present.withSpec(present.spec().withDisks(disks)));
    store.delete(Volume.KIND, VolumeResources.VOLUME, "");
    store.delete(Replica.KIND, NAME, "");
    Awaiting.until(
        store,
        Replica.KIND,
        NAME,
        r ->
            Condition.find(r.status().conditions(), ReplicaStatuses.DELETING)
                .filter(c -> c.reason().equals("DiskUnknown"))
                .isPresent());
    assertThat(pool.replicas).containsKey(NAME);
    Node without = store.get(Node.KIND, VolumeResources.NODE).orElseThrow();
    disks.put("again", DiskSpec.EMPTY.withPath(DEVICE).withType(DiskType.DEVICE));
    store.update(without.withSpec(without.spec().withDisks(disks)));
    Awaiting.untilGone(store, Replica.KIND, NAME);
    assertThat(pool.replicas).isEmpty();
  }
}

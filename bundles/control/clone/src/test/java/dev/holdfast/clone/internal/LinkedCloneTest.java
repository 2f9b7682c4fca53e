package dev.holdfast.clone.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.datapath.ReplicaLocations;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.CloneMethod;
import dev.holdfast.resource.volume.CloneMode;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.LinkState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Copies of volumes that share blocks with their sources, with the sparse engine. */
@Tag("slow")
class LinkedCloneTest extends CloneLab {
  private static UnaryOperator<VolumeSpec> linkOf(String volume, String snapshot) {
    return spec -> spec.withCloneSource(Optional.of(new CloneSource(volume, snapshot)));
  }

  private Replica replica(String volume) throws Exception {
    return store.get(Replica.KIND, volume + "-r-0000000a").orElseThrow();
  }

  /** Reports the volume as created, as the volume's controller does when all replicas exist. */
  private void made(String name) throws Exception {
    untilLinked(name);
    status(name, v -> v.withStatus(v.status().withState(VolumeState.DETACHED)));
  }

  private void untilLinked(String name) throws Exception {
    Awaiting.until(
        store,
        Replica.KIND,
        name + "-r-0000000a",
        r -> r.status().provisioned() && r.status().link().state() == LinkState.LINKED);
  }

  private int read(String name, long offset) throws Exception {
    return byteAt(name, offset).get(30, TimeUnit.SECONDS);
  }

  private List<Path> layers(String volume) throws Exception {
    Path folder = Path.of(replica(volume).spec().diskPath(), "replicas", replica(volume).name());
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.getFileName().toString().endsWith(".img")).toList();
    }
  }

  /** Returns the number of bytes in blocks of a volume that no other directory shares. */
  private long ownBytes(String volume) throws Exception {
    long bytes = 0;
    for (Path layer : layers(volume)) {
      boolean own = (int) Files.getAttribute(layer, "unix:nlink") == 1;
      // Java does not report the allocated blocks of a file, so non-zero bytes are counted.
      bytes += own ? nonZeroes(Files.readAllBytes(layer)) : 0;
    }
    return bytes;
  }

  private static long nonZeroes(byte[] content) {
    long count = 0;
    for (byte one : content) {
      count += one == 0 ? 0 : 1;
    }
    return count;
  }

  @Test
  void linkedCloneHasTheContentOfItsSourceWithoutUsingSpace() throws Exception {
    write("from", 0, 7);
    write("from", 20 << 20, 8);
    make("copy", Quantity.parse("40Mi"), linkOf("from", ""));
    made("copy");
    Volume copied = until("copy", CloneState.COMPLETED);
    assertThat(copied.status().cloneStatus().method()).isEqualTo(CloneMethod.LINK);
    assertThat(ownBytes("copy")).isZero();

    write("from", 0, 9);
    open("copy", true);
    write("copy", 20 << 20, 5);
    assertThat(read("copy", 0)).isEqualTo(7);
    assertThat(read("copy", 20 << 20)).isEqualTo(5);
    assertThat(read("copy", 39 << 20)).isZero();
    assertThat(read("from", 0)).isEqualTo(9);
    assertThat(read("from", 20 << 20)).isEqualTo(8);
  }

  @Test
  void linkedCloneOfAVolumeOnAnImageUsesTheImageToo() throws Exception {
    make("on", SIZE, spec -> spec.withBackingImage("debian"));
    open("on", true);
    write("on", 0, 7);
    make("copy", SIZE, linkOf("on", ""));
    made("copy");

    Volume copied = until("copy", CloneState.COMPLETED);
    assertThat(copied.status().cloneStatus().method()).isEqualTo(CloneMethod.LINK);
    assertThat(copied.spec().backingImage()).isEqualTo("debian");
  }

  @Test
  void cloneLeavesNoResourceAndItsSourceCanBeDeleted() throws Exception {
    write("from", 0, 7);
    make("copy", SIZE, linkOf("from", ""));
    made("copy");
    String snapshot = until("copy", CloneState.COMPLETED).status().cloneStatus().snapshot();
    // The snapshot is removed; its layer stays as long as the clone shares it.
    Awaiting.untilGoneOr(store, Snapshot.KIND, snapshot, s -> s.status().markRemoved());
    Awaiting.until(
        store, Volume.KIND, "from", v -> !v.metadata().hasFinalizer(CloneSource.NEEDED_FINALIZER));
    close("from");
    store.delete(Replica.KIND, replica("from").name(), "");
    store.update(replica("from").disposable());
    Awaiting.untilGone(store, Replica.KIND, "from-r-0000000a");
    store.delete(Volume.KIND, "from", "");
    open("copy", true);
    assertThat(read("copy", 0)).isEqualTo(7);
  }

  @Test
  void clonesDoNotCountAgainstTheSnapshotLimitOfTheirSource() throws Exception {
    store.update(volume("from", v -> v.withSpec(v.spec().withSnapshotMaxCount(2))));
    for (String copy : List.of("copy-1", "copy-2", "copy-3")) {
      write("from", 0, 7);
      make(copy, SIZE, linkOf("from", ""));
      made(copy);
      until(copy, CloneState.COMPLETED);
    }
    store.create(Snapshot.of("mine", SnapshotSpec.EMPTY.withVolume("from")));
    Awaiting.until(store, Snapshot.KIND, "mine", s -> s.status().readyToUse());
  }

  private Volume volume(String name, UnaryOperator<Volume> change) throws Exception {
    return change.apply(store.get(Volume.KIND, name).orElseThrow());
  }

  @Test
  void aNamedSnapshotIsLinkedAndStays() throws Exception {
    write("from", 0, 7);
    store.create(Snapshot.of("mine", SnapshotSpec.EMPTY.withVolume("from")));
    Awaiting.until(store, Snapshot.KIND, "mine", s -> s.status().readyToUse());
    write("from", 0, 9);
    make("copy", SIZE, linkOf("from", "mine"));
    made("copy");
    until("copy", CloneState.COMPLETED);
    open("copy", true);
    assertThat(read("copy", 0)).isEqualTo(7);
    assertThat(store.get(Snapshot.KIND, "mine").orElseThrow().isBeingDeleted()).isFalse();
    assertThat(store.list(Snapshot.KIND, LabelSelector.ALL).items()).hasSize(1);
  }

  @Test
  void aLinkedCopyIsWholeOnlyWhenNoReplicaCanComeInAnyMore() throws Exception {
    write("from", 0, 7);
    make("copy", SIZE, linkOf("from", ""));
    untilLinked("copy");
    assertThat(store.get(Volume.KIND, "copy").orElseThrow().awaitsContent()).isTrue();
    made("copy");
    until("copy", CloneState.COMPLETED);
  }

  @Test
  void linkingResumesAfterTheProcessDied() throws Exception {
    write("from", 0, 7);
    make("copy", SIZE, linkOf("from", ""));
    untilVolume("copy", v -> v.status().cloneStatus().method() == CloneMethod.LINK);
    node.close();
    live();
    untilLinked("copy");
    node.close();
    live();
    made("copy");
    until("copy", CloneState.COMPLETED);
    open("copy", true);
    assertThat(read("copy", 0)).isEqualTo(7);
  }

  /** Simulates the death of the process between the creation of the replica and its report. */
  @Test
  void linkedReplicaThatWasNotReportedIsFoundAgain() throws Exception {
    write("from", 0, 7);
    make("copy", SIZE, linkOf("from", ""));
    untilLinked("copy");
    node.close();
    Replica told = replica("copy");
    store.updateStatus(told.withStatus(ReplicaStatus.EMPTY));
    live();
    made("copy");
    until("copy", CloneState.COMPLETED);
    assertThat(ownBytes("copy")).isZero();
  }

  @Test
  void aCopyOnAnotherDiskIsCopied() throws Exception {
    write("from", 0, 7);
    make("copy", SIZE, "disk-2", linkOf("from", ""));
    Volume usable = untilVolume("copy", Volume::isUsableWhileCopied);
    assertThat(usable.status().cloneStatus().method()).isEqualTo(CloneMethod.COPY);
    open("copy", true);
    until("copy", CloneState.COMPLETED);
    assertThat(read("copy", 0)).isEqualTo(7);
    assertThat(ownBytes("copy")).isEqualTo(BYTES);
  }

  @Test
  void aFullCopyIsCopiedOnTheSameDiskToo() throws Exception {
    write("from", 0, 7);
    make("copy", SIZE, spec -> linkOf("from", "").apply(spec).withCloneMode(CloneMode.FULL_COPY));
    open("copy", false);
    until("copy", CloneState.COMPLETED);
    assertThat(ownBytes("copy")).isEqualTo(BYTES);
  }

  @Test
  void aReplicaThatIsThereAlreadyIsCopiedInto() throws Exception {
    write("from", 0, 7);
    node.close();
    make("copy", SIZE, linkOf("from", ""));
    Replica made = replica("copy");
    new SparseEngine().provisionReplica(ReplicaLocations.of(made), SIZE.bytes());
    live();
    open("copy", true);
    until("copy", CloneState.COMPLETED);
    assertThat(read("copy", 0)).isEqualTo(7);
    assertThat(ownBytes("copy")).isEqualTo(BYTES);
  }

  @Test
  void cloneIsCopiedIntoNewReplicasWhenSomeCannotBeLinked() throws Exception {
    write("from", 0, 7);
    make("copy", SIZE, linkOf("from", ""));
    untilLinked("copy");
    addReplica("copy", "b", SIZE, "disk-2");
    Awaiting.untilGone(store, Replica.KIND, "copy-r-0000000a");
    Awaiting.untilGone(store, Replica.KIND, "copy-r-0000000b");
    Volume usable = untilVolume("copy", Volume::isUsableWhileCopied);
    assertThat(usable.status().cloneStatus().method()).isEqualTo(CloneMethod.COPY);
    addReplica("copy", "a", SIZE, "disk-1");
    open("copy", true);
    until("copy", CloneState.COMPLETED);
    assertThat(read("copy", 0)).isEqualTo(7);
    assertThat(ownBytes("copy")).isEqualTo(BYTES);
  }
}

package dev.holdfast.engine.lvm.blobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.EngineRecord;
import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
import dev.holdfast.engine.lvm.blobs.internal.lvm.BlobNames;
import dev.holdfast.error.StorageException;
import dev.holdfast.lvm.testkit.MemoryRecords;
import dev.holdfast.lvm.testkit.SimulatedLvm;
import dev.holdfast.vm.testkit.RecordingHost;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A node whose host and store are simulated, and whose process can crash at any command. */
final class SimulatedNode {
  static final long MIB = 1L << 20;

  final SimulatedLvm lvm = new SimulatedLvm();
  final RecordingHost host = new RecordingHost(lvm);
  final MemoryRecords records = new MemoryRecords();
  final HostDevices devices = new HostDevices(host);
  BlobManager blobs = start("node-1");

  /** Plants a fault in the code under test: what it asks for in a way does not happen. */
  SimulatedNode with(PlantedFault fault) {
    fault.plant(this);
    return this;
  }

  static Blob blob(String name) {
    return new Blob(SimulatedLvm.GROUP, name);
  }

  BlobManager start(String name) {
    return new LocalBlobManager(
        new GroupReports(host, System::nanoTime, Duration.ZERO), records, name);
  }

  /** The process starts again after its end. */
  void restart() throws StorageException {
    host.restart();
    blobs = start("node-1");
    blobs.recover(SimulatedLvm.GROUP);
  }

  List<PoolRecord> recorded() throws StorageException {
    List<PoolRecord> pools = new ArrayList<>();
    for (EngineRecord record : records.list("")) {
      pools.add(RecordFormat.read(record.name(), record.value()));
    }
    return pools;
  }

  /** Nothing is half done, and the host has exactly what the records say. */
  void assertSettled() throws StorageException {
    List<String> volumes = new ArrayList<>();
    List<String> devices = new ArrayList<>();
    for (PoolRecord pool : recorded()) {
      boolean anyActive = false;
      for (RecordedBlob blob : pool.blobs()) {
        assertThat(blob.phase()).isEqualTo(RecordedBlob.Phase.PRESENT);
        String volume = BlobNames.volume(blob.name());
        volumes.add(volume);
        assertThat(lvm.size(volume)).as(volume).isEqualTo(blob.sizeBytes());
        boolean attached = !pool.attachments(blob.name()).isEmpty();
        assertThat(lvm.isActive(volume)).as(volume + " is active").isEqualTo(attached);
        anyActive |= attached;
        if (attached) {
          devices.addAll(assertLayers(blob));
        }
        if (!pool.isThin() && pool.options().wipe() == BlobWipe.FULL) {
          assertThat(BlobNames.wiped(lvm.tags(volume))).isEqualTo(blob.sizeBytes());
        }
      }
      assertThat(pool.attachments()).noneMatch(Attachment::leaving);
      if (pool.isThin()) {
        volumes.add(BlobNames.pool(pool.id()));
        assertThat(lvm.isActive(BlobNames.pool(pool.id()))).as("pool").isEqualTo(anyActive);
      }
    }
    assertThat(lvm.volumeNames()).containsExactlyInAnyOrderElementsOf(volumes);
    assertThat(lvm.mapper.names()).containsExactlyInAnyOrderElementsOf(devices);
    for (PoolRecord pool : recorded()) {
      if (!pool.attachments().isEmpty()) {
        assertThat(lvm.mapper.held()).as("snapshots of metadata").isEmpty();
      }
    }
  }

  private List<String> assertLayers(RecordedBlob blob) {
    String upper = BlobNames.upper(SimulatedLvm.GROUP, blob.name());
    String lower = BlobNames.lower(SimulatedLvm.GROUP, blob.name());
    List<String> names =
        lvm.mapper.names().contains(upper) ? List.of(upper, lower) : List.of(lower);
    for (String name : names) {
      assertThat(lvm.mapper.isSuspended(name)).as(name + " is suspended").isFalse();
      assertThat(lvm.mapper.table(name)).startsWith("0 " + blob.sizeBytes() / 512 + " linear ");
    }
    return names;
  }

  /** Removes everything by ordinary calls; nothing may stay. */
  void assertNothingLeftOver() throws StorageException {
    for (PoolRecord pool : recorded()) {
      for (Attachment attachment : pool.attachments()) {
        blobs.detach(blob(attachment.blob()), attachment.cookie());
      }
      for (RecordedBlob blob : pool.blobs()) {
        blobs.delete(blob(blob.name()));
      }
    }
    assertThat(recorded()).isEmpty();
    assertThat(lvm.volumeNames()).isEmpty();
    assertThat(lvm.mapper.names()).isEmpty();
  }
}

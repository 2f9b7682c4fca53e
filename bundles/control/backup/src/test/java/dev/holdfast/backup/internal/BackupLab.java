package dev.holdfast.backup.internal;

import static dev.holdfast.datapath.testkit.VolumeResources.NODE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.datapath.testkit.Awaiting;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.sparse.internal.SparseEngine;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupSpec;
import dev.holdfast.resource.backup.BackupState;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetSpec;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeSpec;
import dev.holdfast.resource.volume.DesireState;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Volumes with one replica on a node with running controllers and the sparse engine, and a target.
 */
abstract class BackupLab {
  static final Quantity SIZE = Quantity.parse("32Mi");
  static final int BLOCK = 2 << 20;

  @TempDir Path data;
  final MemoryResourceStore store = new MemoryResourceStore();
  final MemoryTargets targets = new MemoryTargets();
  RunningNode node;
  SparseEngine engine;

  @BeforeEach
  void start() throws Exception {
    DiskSpec disk = DiskSpec.EMPTY.withPath(data.resolve("disk-1").toString()).withCreate(true);
    store.create(Node.of(NODE, NodeSpec.EMPTY.withDisks(Map.of("disk-1", disk))));
    live();
    Awaiting.until(store, Node.KIND, NODE, n -> n.status().diskStatus().size() == 1);
    store.create(
        BackupTarget.of(
            BackupTarget.DEFAULT_NAME,
            BackupTargetSpec.EMPTY
                .withBackupTargetURL(MemoryTargets.URL)
                .withLayout(isPacked() ? "packed" : "longhorn")));
    make("from", SIZE, spec -> spec);
    open("from", true);
  }

  /** Returns whether backups use the packed layout. A subclass repeats a test with it. */
  boolean isPacked() {
    return false;
  }

  /** Returns whether an object of the target has content of volumes. */
  static boolean hasContent(String key) {
    return key.endsWith(".blk") || key.endsWith(".pack");
  }

  void live() throws Exception {
    node = new RunningNode(store, data, targets.installed());
    engine = new SparseEngine();
    node.plugins.addEngine(engine);
  }

  @AfterEach
  void stop() {
    node.close();
    store.close();
  }

  void make(String name, Quantity size, UnaryOperator<VolumeSpec> spec) throws StorageException {
    VolumeSpec wanted = VolumeSpec.EMPTY.withSize(size).withNumberOfReplicas(1);
    store.create(Volume.of(name, spec.apply(wanted)));
    Replica replica = VolumeResources.replica(name + "-r-0000000a", NODE, data.resolve("disk-1"));
    store.create(
        replica
            .withMetadata(replica.metadata().withLabels(labels(name)))
            .withSpec(replica.spec().withVolume(name).withSize(size).withDataEngine("sparse")));
  }

  private static Map<String, String> labels(String volume) {
    return Map.of(Volume.LABEL, volume);
  }

  static String engineOf(String volume) {
    return "engine-of-" + volume;
  }

  /** Opens a volume, as the controllers of attachments and volumes do. */
  void open(String name, boolean shown) throws Exception {
    Volume volume = store.get(Volume.KIND, name).orElseThrow();
    Engine engine = VolumeResources.engine(NODE, DesireState.RUNNING);
    store.create(
        Engine.of(
                engineOf(name),
                engine
                    .spec()
                    .withVolume(name)
                    .withSize(volume.spec().size())
                    .withDataEngine("sparse")
                    .withDisableFrontend(!shown))
            .withMetadata(engine.metadata().withName(engineOf(name)).withLabels(labels(name))));
    Awaiting.until(
        store,
        Engine.KIND,
        engineOf(name),
        e -> e.status().currentState() == InstanceState.RUNNING);
    change(
        name,
        v ->
            v.withStatus(
                v.status()
                    .withState(VolumeState.ATTACHED)
                    .withRobustness(Robustness.HEALTHY)
                    .withCurrentNodeID(NODE)));
  }

  void close(String name) throws Exception {
    store.delete(Engine.KIND, engineOf(name), "");
    Awaiting.untilGone(store, Engine.KIND, engineOf(name));
  }

  void change(String name, UnaryOperator<Volume> change) throws StorageException {
    while (true) {
      try {
        store.updateStatus(change.apply(store.get(Volume.KIND, name).orElseThrow()));
        return;
      } catch (StorageException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT);
      }
    }
  }

  Backup request(String name) throws StorageException {
    return store.create(Backup.of(name, BackupSpec.EMPTY.withVolume("from")));
  }

  Backup completed(String name) throws Exception {
    return Awaiting.until(
        store, Backup.KIND, name, b -> b.status().state() == BackupState.COMPLETED);
  }

  private static void request(Consumer<CompletableFuture<Optional<StorageException>>> request)
      throws Exception {
    CompletableFuture<Optional<StorageException>> outcome = new CompletableFuture<>();
    request.accept(outcome);
    assertThat(outcome.get(30, TimeUnit.SECONDS)).isEmpty();
  }

  private BlockDevice device(String name) {
    return node.portal.device(name).orElseThrow();
  }

  void write(String name, long offset, int fill) throws Exception {
    ByteBuffer bytes = ByteBuffer.allocateDirect(4096);
    while (bytes.hasRemaining()) {
      bytes.put((byte) fill);
    }
    request(
        outcome ->
            device(name)
                .write(
                    offset,
                    bytes.flip(),
                    IoFlags.FUA,
                    failure -> outcome.complete(Optional.ofNullable(failure))));
  }

  /** Starts to read a block of 4 KiB. The result is its first byte. */
  CompletableFuture<Byte> read(String name, long offset) {
    CompletableFuture<Byte> outcome = new CompletableFuture<>();
    ByteBuffer bytes = ByteBuffer.allocateDirect(4096);
    device(name)
        .read(
            offset,
            bytes,
            failure -> {
              if (failure == null) {
                outcome.complete(bytes.get(0));
              } else {
                outcome.completeExceptionally(failure);
              }
            });
    return outcome;
  }

  byte[] content(String name) throws Exception {
    ByteBuffer bytes = ByteBuffer.allocateDirect((int) SIZE.bytes());
    request(
        outcome ->
            device(name).read(0, bytes, failure -> outcome.complete(Optional.ofNullable(failure))));
    byte[] content = new byte[bytes.flip().remaining()];
    bytes.get(content);
    return content;
  }
}

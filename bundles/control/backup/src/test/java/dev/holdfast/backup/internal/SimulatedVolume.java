package dev.holdfast.backup.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.CopyingDevice;
import dev.holdfast.datapath.HeldRequests;
import dev.holdfast.datapath.SnapshotExports;
import dev.holdfast.datapath.testkit.FakeSnapshotDevice;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A volume in memory that is open on one node at a time, or on none. Its engine keeps the uid of a
 * snapshot as a label, and returns exact changes.
 */
final class SimulatedVolume implements SnapshotVolume {
  static final int BLOCK = 64 << 10;

  final byte[] content;
  private final Map<String, Layer> layers = new LinkedHashMap<>();
  private String openOn = "";

  /** A snapshot. */
  private static final class Layer {
    private final String uid;
    private final Instant created;
    private final byte[] bytes;

    Layer(String uid, Instant created, byte[] bytes) {
      this.uid = uid;
      this.created = created;
      this.bytes = bytes.clone();
    }
  }

  SimulatedVolume(int blocks) {
    content = new byte[blocks * BLOCK];
  }

  /** Opens the volume on a node and closes it on the others; an empty name closes it everywhere. */
  void move(String node) {
    openOn = node;
  }

  void write(int block, byte value) {
    Arrays.fill(content, block * BLOCK, (block + 1) * BLOCK, value);
  }

  boolean isOpen() {
    return !openOn.isEmpty();
  }

  /** Takes a snapshot unless one of this name exists. */
  boolean take(String name, String uid, Instant now) {
    return layers.putIfAbsent(name, new Layer(uid, now, content)) == null;
  }

  /** Removes snapshots whose resources are gone. */
  void retain(List<String> uids) {
    layers.values().removeIf(layer -> !uids.contains(layer.uid));
  }

  Optional<byte[]> contentOf(String uid) {
    return layers.values().stream()
        .filter(layer -> layer.uid.equals(uid))
        .map(layer -> layer.bytes)
        .findFirst();
  }

  @Override
  public List<SnapshotInfo> snapshots() {
    List<SnapshotInfo> infos = new ArrayList<>();
    String parent = "";
    List<String> names = List.copyOf(layers.keySet());
    for (int i = 0; i < names.size(); i++) {
      Layer layer = layers.get(names.get(i));
      String child = i + 1 < names.size() ? names.get(i + 1) : SnapshotInfo.HEAD;
      infos.add(
          new SnapshotInfo(
              names.get(i),
              parent,
              List.of(child),
              false,
              true,
              layer.created,
              Map.of(Snapshot.UID_LABEL, layer.uid),
              BLOCK,
              ""));
      parent = names.get(i);
    }
    return infos;
  }

  private byte[] layer(String name) throws StorageException {
    Layer layer = layers.get(name);
    if (layer == null) {
      throw new StorageException(ErrorCode.NOT_FOUND, "no snapshot " + name);
    }
    return layer.bytes;
  }

  @Override
  public BlockDevice openSnapshot(String name) throws StorageException {
    return new FakeSnapshotDevice(layer(name));
  }

  @Override
  public void changes(String older, String newer, ExtentVisitor visitor) throws StorageException {
    byte[] now = layer(newer);
    byte[] before = older.isEmpty() ? new byte[now.length] : layer(older);
    for (int at = 0; at < now.length; at += BLOCK) {
      boolean equal = Arrays.equals(now, at, at + BLOCK, before, at, at + BLOCK);
      boolean unused = visitor.extent(at, BLOCK, equal ? ExtentKind.HOLE : ExtentKind.DATA);
    }
  }

  @Override
  public SnapshotInfo createSnapshot(SnapshotRequest request) throws StorageException {
    throw refusal();
  }

  @Override
  public void deleteSnapshot(String name) throws StorageException {
    throw refusal();
  }

  @Override
  public void revert(String name) throws StorageException {
    throw refusal();
  }

  @Override
  public void purge() throws StorageException {
    throw refusal();
  }

  private static StorageException refusal() {
    return new StorageException(ErrorCode.UNSUPPORTED, "the simulation does this itself");
  }

  @Override
  public BlockDevice device() {
    throw new UnsupportedOperationException("backups do not use the device");
  }

  @Override
  public Map<String, MemberMode> replicas() {
    return Map.of();
  }

  @Override
  public void close() {}

  /** Returns the volume for one node. All work runs on the caller's thread. */
  AttachedVolumes on(String node) {
    return new OnNode(node);
  }

  private final class OnNode implements AttachedVolumes, AttachedVolume {
    private final String node;
    private final SnapshotExports exports = new SnapshotExports("va");

    OnNode(String node) {
      this.node = node;
    }

    @Override
    public Optional<AttachedVolume> get(String engine) {
      return openOn.equals(node) ? Optional.of(this) : Optional.empty();
    }

    @Override
    public Optional<Portal> portal() {
      return Optional.empty();
    }

    @Override
    public Executor executor() {
      return Runnable::run;
    }

    @Override
    public ResourceStore store() throws StorageException {
      throw new StorageException(ErrorCode.UNREACHABLE, "backups do not use this store");
    }

    @Override
    public AttachedVolumeStatus status() {
      return AttachedVolumeStatus.INITIAL.withPhase(AttachedVolumeStatus.Phase.OPEN);
    }

    @Override
    public Optional<CopyingDevice> copying() {
      return Optional.empty();
    }

    @Override
    public SnapshotExports snapshotExports() {
      return exports;
    }

    @Override
    public HeldRequests hold(Duration drain) throws StorageException {
      throw refusal();
    }

    @Override
    public <T> CompletableFuture<T> operate(Operation<T> operation) {
      if (!openOn.equals(node)) {
        return CompletableFuture.failedFuture(
            new StorageException(ErrorCode.UNREACHABLE, "the volume is not open on " + node));
      }
      try {
        return CompletableFuture.completedFuture(operation.run(SimulatedVolume.this, status()));
      } catch (StorageException e) {
        return CompletableFuture.failedFuture(e);
      }
    }
  }
}

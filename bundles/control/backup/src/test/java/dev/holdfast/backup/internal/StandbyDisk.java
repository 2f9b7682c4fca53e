package dev.holdfast.backup.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.datapath.AttachedVolume;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.datapath.CopyingDevice;
import dev.holdfast.datapath.HeldRequests;
import dev.holdfast.datapath.RegionCopyPlan;
import dev.holdfast.datapath.SnapshotExports;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.SnapshotRequest;
import dev.holdfast.engine.SnapshotVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The bytes and snapshots of one volume, which outlive a process, and its opening by one process.
 */
final class StandbyDisk implements AttachedVolumes, AttachedVolume, SnapshotVolume {
  private final byte[] content;
  private final Map<String, byte[]> snapshots = new HashMap<>();
  private final SnapshotExports exports = new SnapshotExports("copy");
  private final Runnable step;
  private final Supplier<ResourceStore> store;
  private Optional<CopyingDevice> copying = Optional.empty();
  private boolean open;

  /**
   * Creates an empty volume.
   *
   * @param step called before each change, which it may prevent
   * @param store of the process
   */
  StandbyDisk(int size, Runnable step, Supplier<ResourceStore> store) {
    content = new byte[size];
    this.step = step;
    this.store = store;
  }

  byte[] content() {
    return content;
  }

  boolean isOpen() {
    return open;
  }

  void open(Volume volume) {
    if (!open) {
      open = true;
      copying =
          volume
              .contentProgress()
              .filter(progress -> volume.isBeingCopied())
              .map(RegionCopyPlan::of)
              .map(plan -> new CopyingDevice("copy", new Bytes(), plan));
    }
  }

  @Override
  public void close() {
    copying.ifPresent(CopyingDevice::shut);
    lose();
  }

  /** Ends the process and its opening. */
  void lose() {
    open = false;
    copying = Optional.empty();
  }

  void take(String name) {
    step.run();
    snapshots.putIfAbsent(name, content.clone());
  }

  void retain(List<String> names) {
    snapshots.keySet().retainAll(names);
  }

  @Override
  public void revert(String name) throws StorageException {
    step.run();
    byte[] bytes = snapshots.get(name);
    if (bytes == null) {
      throw new StorageException(ErrorCode.NOT_FOUND, "no snapshot " + name);
    }
    System.arraycopy(bytes, 0, content, 0, content.length);
    step.run();
  }

  /** The device below the copying device. */
  private final class Bytes implements BlockDevice {
    @Override
    public long size() {
      return content.length;
    }

    @Override
    public int blockSize() {
      return 4096;
    }

    @Override
    public void read(long offset, ByteBuffer target, Completion completion) {
      target.put(content, (int) offset, target.remaining());
      completion.completed(null);
    }

    @Override
    public void write(long offset, ByteBuffer source, int flags, Completion completion) {
      step.run();
      source.get(content, (int) offset, source.remaining());
      completion.completed(null);
    }

    @Override
    public void flush(Completion completion) {
      step.run();
      completion.completed(null);
    }

    @Override
    public void trim(long offset, long length, int flags, Completion completion) {
      writeZeroes(offset, length, flags, completion);
    }

    @Override
    public void writeZeroes(long offset, long length, int flags, Completion completion) {
      if (BlockRanges.inside(offset, length, content.length, completion)) {
        step.run();
        Arrays.fill(content, (int) offset, (int) (offset + length), (byte) 0);
        completion.completed(null);
      }
    }

    @Override
    public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
      visitor.extent(offset, length, ExtentKind.DATA);
      completion.completed(null);
    }

    @Override
    public void close() {}
  }

  @Override
  public Optional<AttachedVolume> get(String engine) {
    return open ? Optional.of(this) : Optional.empty();
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
  public ResourceStore store() {
    return store.get();
  }

  @Override
  public AttachedVolumeStatus status() {
    return AttachedVolumeStatus.INITIAL.withPhase(AttachedVolumeStatus.Phase.OPEN);
  }

  @Override
  public Optional<CopyingDevice> copying() {
    return copying;
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
    try {
      return CompletableFuture.completedFuture(operation.run(this, status()));
    } catch (StorageException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public List<SnapshotInfo> snapshots() {
    return List.of();
  }

  @Override
  public BlockDevice openSnapshot(String name) throws StorageException {
    throw refusal();
  }

  @Override
  public void changes(String older, String newer, ExtentVisitor visitor) throws StorageException {
    throw refusal();
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
  public void purge() throws StorageException {
    throw refusal();
  }

  private static StorageException refusal() {
    return new StorageException(ErrorCode.UNSUPPORTED, "a restore does not use it");
  }

  @Override
  public BlockDevice device() {
    return new Bytes();
  }

  @Override
  public Map<String, MemberMode> replicas() {
    return Map.of();
  }
}

package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
import dev.holdfast.engine.lvm.blobs.internal.lvm.BlobNames;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LogicalVolume;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LvmGroup;
import dev.holdfast.engine.lvm.blobs.internal.lvm.PoolGrowth;
import dev.holdfast.engine.lvm.blobs.internal.lvm.ThinChanges;
import dev.holdfast.engine.lvm.blobs.internal.lvm.ThinKernel;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Makes the host equal to what a pool's record says about one blob. Each call looks at the host
 * first, runs only the commands that are missing, and can be repeated after any of them.
 */
final class BlobSteps {
  private static final long LARGEST_FIRST_POOL = 1L << 30;
  private static final long SMALLEST_POOL = 4L << 20;
  private static final long WIPE_CHUNK = 1L << 30;

  private final Host host;
  private final LvmGroup lvm;
  private final BlobLayers layers;
  private final long extentBytes;
  private final PoolGrowth growth;

  BlobSteps(Host host, LvmGroup lvm, long extentBytes) {
    this.host = host;
    this.lvm = lvm;
    this.layers = new BlobLayers(host);
    this.extentBytes = extentBytes;
    this.growth = new PoolGrowth(lvm);
  }

  /**
   * Creates a blob.
   *
   * @throws StorageException INVALID when a foreign volume has its name; NOT_FOUND when its source
   *     is absent; NO_SPACE
   */
  void create(PoolRecord pool, RecordedBlob blob) throws StorageException {
    Map<String, LogicalVolume> volumes = lvm.volumes();
    LogicalVolume present = volumes.get(BlobNames.volume(blob.name()));
    if (present != null) {
      requireOurs(blob, present);
    } else if (!pool.isThin()) {
      createLinear(pool, blob);
    } else if (volumes.containsKey(BlobNames.pool(pool.id()))) {
      createInPool(pool, blob);
    } else {
      createWithPool(pool, blob);
    }
    if (!pool.isThin()) {
      wipe(pool, blob);
    }
    settle(pool, blob);
  }

  private void requireOurs(RecordedBlob blob, LogicalVolume volume) throws StorageException {
    if (!volume.tags().contains(BlobNames.TAG)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "blob "
              + blobOf(blob)
              + ": logical volume "
              + volume.name()
              + " is of another program, it has no tag "
              + BlobNames.TAG
              + ": rename it: lvrename "
              + lvm.name()
              + " "
              + volume.name()
              + " NAME");
    }
  }

  private void createWithPool(PoolRecord pool, RecordedBlob blob) throws StorageException {
    if (!blob.source().isEmpty()) {
      throw sourceMissing(blob);
    }
    long bytes = Math.max(SMALLEST_POOL, Math.min(LARGEST_FIRST_POOL, blob.sizeBytes()));
    lvm.createPool(BlobNames.pool(pool.id()), roundedUp(bytes), BlobNames.TAG);
    createInPool(pool, blob);
  }

  private StorageException sourceMissing(RecordedBlob blob) {
    return new StorageException(
        ErrorCode.NOT_FOUND,
        "blob " + blobOf(blob) + ": its source " + blob.source() + " does not exist");
  }

  /** LVM creates nothing in a pool that is filled to the threshold, so that grows first. */
  private void createInPool(PoolRecord pool, RecordedBlob blob) throws StorageException {
    String poolName = BlobNames.pool(pool.id());
    Map<String, LogicalVolume> volumes = lvm.volumes();
    if (!volumes.get(poolName).active()) {
      activate(pool, poolName);
      volumes = lvm.volumes();
    }
    if (!growth.relieve(volumes, volumes.get(poolName), blob.sizeBytes())) {
      throw poolFilled(blob, poolName);
    }
    String name = BlobNames.volume(blob.name());
    String source = BlobNames.volume(blob.source());
    if (blob.source().isEmpty()) {
      lvm.createThin(poolName, name, blob.sizeBytes(), BlobNames.TAG);
    } else if (volumes.containsKey(source)) {
      lvm.createSnapshot(source, name, BlobNames.TAG);
    } else {
      throw sourceMissing(blob);
    }
  }

  private StorageException poolFilled(RecordedBlob blob, String poolName) {
    return new StorageException(
        ErrorCode.NO_SPACE,
        "blob "
            + blobOf(blob)
            + ": pool "
            + poolName
            + " is filled, and volume group "
            + lvm.name()
            + " has no room to extend it: add a disk: vgextend "
            + lvm.name()
            + " DISK");
  }

  private void createLinear(PoolRecord pool, RecordedBlob blob) throws StorageException {
    List<String> tags =
        pool.options().wipe() == BlobWipe.FULL
            ? List.of(BlobNames.TAG, BlobNames.wiped(0))
            : List.of(BlobNames.TAG);
    lvm.createLinear(BlobNames.volume(blob.name()), blob.sizeBytes(), tags);
  }

  private long roundedUp(long bytes) {
    return (bytes + extentBytes - 1) / extentBytes * extentBytes;
  }

  /** A tag of the volume says how far it came, so that a repetition continues there. */
  private void wipe(PoolRecord pool, RecordedBlob blob) throws StorageException {
    if (pool.options().wipe() != BlobWipe.FULL) {
      return;
    }
    LogicalVolume volume = require(blob);
    long done = BlobNames.wiped(volume.tags());
    if (done < blob.sizeBytes() && !volume.active()) {
      activate(pool, volume.name());
    }
    while (done < blob.sizeBytes()) {
      long length = Math.min(WIPE_CHUNK, blob.sizeBytes() - done);
      lvm.zero(volume.name(), done, length);
      lvm.replaceTag(volume.name(), BlobNames.wiped(done), BlobNames.wiped(done + length));
      done += length;
    }
  }

  private LogicalVolume require(RecordedBlob blob) throws StorageException {
    return require(blob, lvm.volumes());
  }

  private LogicalVolume require(RecordedBlob blob, Map<String, LogicalVolume> volumes)
      throws StorageException {
    LogicalVolume volume = volumes.get(BlobNames.volume(blob.name()));
    if (volume == null) {
      throw new StorageException(
          ErrorCode.IO,
          "blob "
              + blobOf(blob)
              + " is recorded, its logical volume is absent: 'lvs -a "
              + lvm.name()
              + "' shows what is there; vgcfgrestore can bring it back");
    }
    return volume;
  }

  private Blob blobOf(RecordedBlob blob) {
    return new Blob(lvm.name(), blob.name());
  }

  /**
   * Makes a blob larger, and its devices where it is attached.
   *
   * @throws StorageException NO_SPACE
   */
  void extend(PoolRecord pool, RecordedBlob blob) throws StorageException {
    LogicalVolume volume = require(blob);
    if (volume.sizeBytes() < blob.sizeBytes()) {
      requireMetadata(volume, blob);
      lvm.extend(volume.name(), blob.sizeBytes());
    }
    if (!pool.isThin()) {
      wipe(pool, blob);
    }
    if (pool.attachments(blob.name()).isEmpty()) {
      settle(pool, blob);
    } else if (!pool.isShared()) { // else each node lets its own devices grow
      AttachedBlob unused = attach(pool, blob);
    }
  }

  private void requireMetadata(LogicalVolume volume, RecordedBlob blob) throws StorageException {
    long more = blob.sizeBytes() - volume.sizeBytes();
    Map<String, LogicalVolume> volumes = lvm.volumes();
    if (volume.isThin() && !growth.relieveMetadata(volumes, volumes.get(volume.pool()), more)) {
      throw poolFilled(blob, volume.pool());
    }
  }

  /** Returns the uuid of a blob's logical volume. */
  String identity(RecordedBlob blob) throws StorageException {
    return require(blob).uuid();
  }

  /** Returns the size of a blob's logical volume. */
  long sizeBytes(RecordedBlob blob) throws StorageException {
    return require(blob).sizeBytes();
  }

  /** Deletes a blob, and its pool when the record has no other blob. */
  void delete(PoolRecord pool, RecordedBlob blob) throws StorageException {
    layers.remove(blobOf(blob));
    Map<String, LogicalVolume> volumes = lvm.volumes();
    LogicalVolume volume = volumes.get(BlobNames.volume(blob.name()));
    if (volume != null) {
      requireOurs(blob, volume);
      lvm.remove(volume.name());
    }
    String poolName = BlobNames.pool(pool.id());
    if (pool.isThin() && volumes.containsKey(poolName)) {
      boolean last =
          pool.blobs().size() == 1
              && volumes.values().stream()
                  .noneMatch(other -> other.pool().equals(poolName) && !other.equals(volume));
      if (last) {
        lvm.remove(poolName);
      } else {
        settle(pool, blob);
      }
    }
  }

  /** Compares two blobs; the pool is active during the call. */
  void changes(
      PoolRecord pool, Optional<RecordedBlob> older, RecordedBlob newer, ExtentVisitor visitor)
      throws StorageException {
    LogicalVolume volume = require(newer);
    Optional<Long> base =
        older.isPresent() ? Optional.of(require(older.get()).thinId()) : Optional.empty();
    if (!volume.active()) {
      activate(pool, volume.name());
    }
    try {
      new ThinChanges(host, lvm, BlobNames.pool(pool.id())).visit(base, volume, visitor);
    } finally {
      settle(pool, newer);
    }
  }

  /** A volume of a shared group, or the pool that it is in, is active on one host. */
  private void activate(PoolRecord pool, String volume) throws StorageException {
    if (pool.isShared()) {
      lvm.activateExclusively(volume);
    } else {
      lvm.activate(volume);
    }
  }

  private void prepareThin(PoolRecord pool) throws StorageException {
    ThinKernel.waitWhenFull(host);
    new ThinChanges(host, lvm, BlobNames.pool(pool.id())).release();
  }

  /**
   * Takes the lock of a shared group's pool: gives its attached blobs devices of LVM, or the pool
   * itself when none is attached.
   *
   * @throws StorageException BUSY while another host has the lock
   */
  void activate(PoolRecord pool) throws StorageException {
    Set<String> attached =
        pool.attachments().stream().map(Attachment::blob).collect(Collectors.toSet());
    Map<String, LogicalVolume> volumes = lvm.volumes();
    List<String> missing = new ArrayList<>();
    for (RecordedBlob blob : pool.blobs()) {
      if (attached.contains(blob.name()) && !require(blob, volumes).active()) {
        missing.add(BlobNames.volume(blob.name()));
      }
    }
    if (attached.isEmpty()) {
      missing.add(BlobNames.pool(pool.id()));
    }
    if (!missing.isEmpty()) {
      lvm.activateExclusively(missing);
    }
    prepareThin(pool);
  }

  /** Returns the logical volume of a blob, which has a device then. */
  LogicalVolume active(PoolRecord pool, RecordedBlob blob) throws StorageException {
    LogicalVolume volume = require(blob);
    if (volume.active()) {
      return volume;
    }
    if (pool.isThin()) {
      lvm.activateExclusively(volume.name());
    } else {
      lvm.activateShared(volume.name());
    }
    return require(blob);
  }

  /** Returns whether a pool, or a blob of it, has a device on this host. */
  boolean isActive(PoolRecord pool) throws StorageException {
    Map<String, LogicalVolume> volumes = lvm.volumes();
    LogicalVolume parent = volumes.get(BlobNames.pool(pool.id()));
    return (parent != null && parent.active())
        || pool.blobs().stream()
            .map(blob -> volumes.get(BlobNames.volume(blob.name())))
            .anyMatch(volume -> volume != null && volume.active());
  }

  /** Takes the devices of LVM away from all blobs of a pool, and from the pool. */
  void deactivate(PoolRecord pool) throws StorageException {
    Map<String, LogicalVolume> volumes = lvm.volumes();
    List<String> active =
        pool.blobs().stream()
            .map(blob -> volumes.get(BlobNames.volume(blob.name())))
            .filter(volume -> volume != null && volume.active())
            .map(LogicalVolume::name)
            .toList();
    if (!active.isEmpty()) {
      lvm.deactivate(active);
    }
    LogicalVolume parent = lvm.volumes().get(BlobNames.pool(pool.id()));
    if (parent != null && parent.active()) {
      lvm.deactivate(parent.name());
    }
  }

  /** Makes a blob a device. */
  AttachedBlob attach(PoolRecord pool, RecordedBlob blob) throws StorageException {
    LogicalVolume volume = require(blob);
    if (!volume.active()) {
      activate(pool, volume.name());
      volume = require(blob);
    }
    if (pool.isThin()) {
      prepareThin(pool);
    }
    return layers.ensure(blobOf(blob), volume.uuid(), volume.number(), blob.sizeBytes());
  }

  /**
   * Removes a blob's devices, and its pool's when no other blob of it is active.
   *
   * @throws StorageException BUSY while a program has the device open
   */
  void detach(PoolRecord pool, RecordedBlob blob) throws StorageException {
    layers.remove(blobOf(blob));
    settle(pool, blob);
  }

  /** Ends what an interrupted comparison of blobs left active. */
  void tidy(PoolRecord pool) throws StorageException {
    Map<String, LogicalVolume> volumes = lvm.volumes();
    String poolName = BlobNames.pool(pool.id());
    boolean poolActive = volumes.containsKey(poolName) && volumes.get(poolName).active();
    for (RecordedBlob blob : pool.blobs()) {
      LogicalVolume volume = volumes.get(BlobNames.volume(blob.name()));
      boolean active = poolActive || (volume != null && volume.active());
      if (active && pool.attachments(blob.name()).isEmpty()) {
        settle(pool, blob);
      }
    }
  }

  /** A blob that has no attachment is not active, and a pool without active blobs neither. */
  void settle(PoolRecord pool, RecordedBlob blob) throws StorageException {
    boolean used =
        pool.attachments(blob.name()).stream().anyMatch(attachment -> !attachment.leaving());
    Map<String, LogicalVolume> volumes = lvm.volumes();
    LogicalVolume volume = volumes.get(BlobNames.volume(blob.name()));
    if (!used && volume != null && volume.active()) {
      lvm.deactivate(volume.name());
      volumes = lvm.volumes();
    }
    LogicalVolume parent = volumes.get(BlobNames.pool(pool.id()));
    if (parent != null
        && parent.active()
        && volumes.values().stream()
            .noneMatch(other -> other.active() && other.pool().equals(parent.name()))) {
      lvm.deactivate(parent.name());
    }
  }
}

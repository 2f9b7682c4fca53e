package dev.holdfast.engine.lvm.internal;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.lvm.blobs.AttachedBlob;
import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.engine.lvm.blobs.BlobInfo;
import dev.holdfast.engine.lvm.blobs.BlobManager;
import dev.holdfast.engine.lvm.blobs.BlobOptions;
import dev.holdfast.engine.lvm.blobs.GroupInfo;
import dev.holdfast.engine.lvm.blobs.GroupReports;
import dev.holdfast.engine.lvm.blobs.PoolSpace;
import dev.holdfast.engine.lvm.blobs.SharedBlobManager;
import dev.holdfast.engine.lvm.blobs.waits.PoolWait;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Blobs of groups of one node and of shared groups: each call goes to the manager of its group. */
final class RoutedBlobs implements BlobManager {
  private final BlobManager local;
  private final SharedBlobManager shared;
  private final GroupSharing means;
  private final GroupReports reports;
  private final Map<String, Boolean> kinds = new ConcurrentHashMap<>();

  RoutedBlobs(
      BlobManager local, SharedBlobManager shared, GroupSharing means, GroupReports reports) {
    this.local = local;
    this.shared = shared;
    this.means = means;
    this.reports = reports;
  }

  /** Returns the manager of a group, empty when one node uses the group. */
  Optional<SharedBlobManager> sharing(String group) throws StorageException {
    Boolean known = kinds.get(group);
    if (known == null) {
      known = local.group(group).shared();
      kinds.put(group, known);
    }
    return known ? Optional.of(shared) : Optional.empty();
  }

  private BlobManager of(String group) throws StorageException {
    Optional<SharedBlobManager> sharing = sharing(group);
    return sharing.isPresent() ? sharing.get() : local;
  }

  /** Returns the manager for a call that begins to use a group, which needs the other nodes. */
  private BlobManager usable(String group) throws StorageException {
    BlobManager blobs = of(group);
    if (blobs == shared) {
      means.require(group);
    }
    return blobs;
  }

  @Override
  public GroupInfo group(String group) throws StorageException {
    return of(group).group(group);
  }

  /** The lock type may have changed since the group was used, so it is looked at again. */
  @Override
  public Optional<GroupInfo> inspect(String group) throws StorageException {
    kinds.put(group, reports.recentInfo(group).shared());
    return usable(group).inspect(group);
  }

  @Override
  public GroupInfo take(String group) throws StorageException {
    kinds.remove(group);
    return usable(group).take(group);
  }

  @Override
  public void recover(String group) throws StorageException {
    usable(group).recover(group);
  }

  @Override
  public void createEmpty(Blob blob, BlobOptions options, long sizeBytes) throws StorageException {
    of(blob.group()).createEmpty(blob, options, sizeBytes);
  }

  @Override
  public void createCopy(Blob blob, Blob source) throws StorageException {
    of(blob.group()).createCopy(blob, source);
  }

  @Override
  public void delete(Blob blob) throws StorageException {
    of(blob.group()).delete(blob);
  }

  @Override
  public AttachedBlob attach(Blob blob, String cookie) throws StorageException {
    return usable(blob.group()).attach(blob, cookie);
  }

  @Override
  public void detach(Blob blob, String cookie) throws StorageException {
    of(blob.group()).detach(blob, cookie);
  }

  @Override
  public void extend(Blob blob, long sizeBytes) throws StorageException {
    of(blob.group()).extend(blob, sizeBytes);
  }

  @Override
  public void changes(Optional<Blob> older, Blob newer, ExtentVisitor visitor)
      throws StorageException {
    of(newer.group()).changes(older, newer, visitor);
  }

  @Override
  public List<PoolSpace> keepSpace(String group) throws StorageException {
    return of(group).keepSpace(group);
  }

  @Override
  public List<PoolWait> waits(String group) throws StorageException {
    return of(group).waits(group);
  }

  @Override
  public void keepLinks(String group) throws StorageException {
    of(group).keepLinks(group);
  }

  @Override
  public Optional<BlobInfo> find(Blob blob) throws StorageException {
    return of(blob.group()).find(blob);
  }

  @Override
  public long size(Blob blob) throws StorageException {
    return of(blob.group()).size(blob);
  }
}

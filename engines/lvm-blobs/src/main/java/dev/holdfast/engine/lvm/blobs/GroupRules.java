package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.PoolRecord.Attachment;
import dev.holdfast.engine.lvm.blobs.internal.lvm.BlobNames;
import dev.holdfast.engine.lvm.blobs.internal.lvm.GroupName;
import dev.holdfast.engine.lvm.blobs.internal.lvm.GroupReport;
import dev.holdfast.engine.lvm.blobs.internal.lvm.GroupView;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LogicalVolume;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LvmGroup;
import dev.holdfast.engine.lvm.blobs.locks.LockReport;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Checks of hosts and volume groups before blobs are used in them, and their first use. Stateless.
 */
final class GroupRules {
  private static final int MOST_NAMES = 5;

  private GroupRules() {}

  /**
   * Returns a group all of which can be used on this host.
   *
   * @throws StorageException UNSUPPORTED naming a missing package; INVALID; NOT_FOUND
   */
  static GroupInfo whole(Host host, String group) throws StorageException {
    GroupName.require(group);
    return whole(host, new LvmGroup(host, group).report());
  }

  /** Returns a group that was reported, as {@link #whole(Host, String)} does. */
  static GroupInfo whole(Host host, GroupReport report) throws StorageException {
    requirePrograms(host);
    return requireWhole(report);
  }

  /**
   * Returns the group if it is in use here already, and empty if it has no volumes.
   *
   * @throws StorageException INVALID if other programs made volumes in it
   */
  static Optional<GroupInfo> inUse(Host host, GroupInfo group) throws StorageException {
    if (!group.taken()) {
      Collection<LogicalVolume> volumes = new LvmGroup(host, group.name()).volumes().values();
      requireUnused(group, volumes);
      if (volumes.isEmpty()) {
        return Optional.empty();
      }
    }
    return Optional.of(group);
  }

  /** Takes a group that was inspected into use; repeated calls are harmless. */
  static GroupInfo take(GroupReports reports, String group, Optional<GroupInfo> inspected)
      throws StorageException {
    if (inspected.isEmpty() || !inspected.get().taken()) {
      reports.group(group).tag(BlobNames.TAG);
    }
    return whole(reports.host(), group);
  }

  /**
   * Checks that the programs are there that LVM itself and thin pools need.
   *
   * @throws StorageException UNSUPPORTED naming the package
   */
  private static void requirePrograms(Host host) throws StorageException {
    String unused = host.require("lvs", "lvm2");
    unused = host.require("dmsetup", "dmsetup");
    unused = host.require("thin_check", "thin-provisioning-tools");
    unused = host.require("blkdiscard", "util-linux");
  }

  /** Checks that all of a group can be used on this host. */
  private static GroupInfo requireWhole(GroupReport group) throws StorageException {
    if (group.exported()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume group " + group.name() + " is exported: vgimport " + group.name());
    }
    if (group.missingDisks() > 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume group "
              + group.name()
              + ": "
              + group.missingDisks()
              + " of its disks are missing: 'pvs' shows which; connect them");
    }
    return new GroupInfo(
        group.name(),
        group.uuid(),
        group.sizeBytes(),
        group.freeBytes(),
        group.extentBytes(),
        group.lockType(),
        group.tags().contains(BlobNames.TAG));
  }

  /** Checks that a group has no volumes that other programs made. */
  private static void requireUnused(GroupInfo group, Collection<LogicalVolume> volumes)
      throws StorageException {
    String foreign =
        volumes.stream()
            .filter(volume -> !volume.tags().contains(BlobNames.TAG))
            .map(LogicalVolume::name)
            .sorted()
            .limit(MOST_NAMES)
            .collect(Collectors.joining(", "));
    if (!foreign.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume group "
              + group.name()
              + " holds logical volumes of other programs: "
              + foreign
              + ": give another group, or let this one be used beside them: vgchange --addtag "
              + BlobNames.TAG
              + " "
              + group.name());
    }
  }

  /** Checks that one node uses a group. */
  static void requireLocal(GroupInfo group) throws StorageException {
    if (group.shared()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume group "
              + group.name()
              + " is shared with lock type "
              + group.lockType()
              + ": this version uses groups of one node: vgchange --lock-type none "
              + group.name());
    }
  }

  /** Checks that this host can use a shared group. */
  static void requireLocks(GroupInfo group, LockReport locks) throws StorageException {
    if (locks.usable()) {
      return;
    }
    String problems =
        locks.missing().isEmpty()
            ? (locks.started()
                ? "the global lock is missing: start the lock space of the group that has it:"
                    + " vgchange --lock-start"
                : "its lock space is not started: vgchange --lock-start " + group.name())
            : locks.problems();
    throw new StorageException(
        ErrorCode.UNSUPPORTED,
        "volume group "
            + group.name()
            + " is shared with lock type "
            + group.lockType()
            + ": "
            + problems);
  }

  /** Checks that a copy can share space with its source. */
  static void requireSameGroup(Blob blob, Blob source) throws StorageException {
    if (!blob.group().equals(source.group())) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "blob "
              + blob
              + ": its source "
              + source
              + " is in another group: a copy shares space with its source, so write the bytes"
              + " to a new blob instead");
    }
  }

  /** Returns the state of a blob. */
  static BlobInfo info(Blob blob, PoolRecord pool, GroupView view) {
    RecordedBlob recorded = pool.blob(blob.name()).orElseThrow();
    Optional<LogicalVolume> volume =
        Optional.ofNullable(view.volumes().get(BlobNames.volume(blob.name())));
    long used =
        pool.isThin() ? volume.map(LogicalVolume::usedBytes).orElse(0L) : recorded.sizeBytes();
    Set<String> cookies =
        pool.attachments(blob.name()).stream()
            .map(Attachment::cookie)
            .collect(Collectors.toUnmodifiableSet());
    return new BlobInfo(
        blob,
        pool.options().mode(),
        recorded.sizeBytes(),
        used,
        recorded.isUsable() && volume.isPresent(),
        cookies);
  }

  /** Checks a size of a blob. */
  static void requireSize(Blob blob, GroupInfo group, long sizeBytes) throws StorageException {
    long extent = group.extentBytes();
    if (sizeBytes < extent || sizeBytes % extent != 0) {
      long next = Math.max(1, Math.floorDiv(sizeBytes + extent - 1, extent)) * extent;
      throw new StorageException(
          ErrorCode.INVALID,
          "blob "
              + blob
              + ": size "
              + sizeBytes
              + " B: must be a multiple of the extent of volume group "
              + group.name()
              + ", which is "
              + extent
              + " B: use "
              + next);
    }
  }
}

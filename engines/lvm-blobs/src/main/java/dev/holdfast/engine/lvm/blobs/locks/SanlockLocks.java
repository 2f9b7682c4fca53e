package dev.holdfast.engine.lvm.blobs.locks;

import dev.holdfast.engine.lvm.blobs.internal.locks.DiskLease;
import dev.holdfast.engine.lvm.blobs.internal.locks.LockDaemons;
import dev.holdfast.engine.lvm.blobs.internal.locks.LockSpaceHost;
import dev.holdfast.engine.lvm.blobs.internal.lvm.GroupLocking;
import dev.holdfast.engine.lvm.blobs.internal.lvm.GroupName;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LvmGroup;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Locks by lvmlockd and sanlock. Times of a lease are seconds of a clock that starts with the host;
 * this converts them to the time of day.
 */
public final class SanlockLocks implements GroupLocks {
  private static final String SANLOCK = "sanlock";
  private static final String SETTINGS = "/etc/lvm/lvmlocal.conf";

  private final Host host;
  private final Clock clock;
  private final LockDaemons daemons;

  /**
   * Reads the locks of a host.
   *
   * @param host on which the daemons run
   * @param clock the time of day of that host
   */
  public SanlockLocks(Host host, Clock clock) {
    this.host = host;
    this.clock = clock;
    this.daemons = new LockDaemons(host);
  }

  private static StorageException lacks(String group, List<LockReport.Missing> missing) {
    String text = missing.stream().map(Object::toString).reduce((a, b) -> a + "; " + b).orElse("");
    return new StorageException(ErrorCode.UNSUPPORTED, "volume group " + group + ": " + text);
  }

  @Override
  public LockReport inspect(String group) throws StorageException {
    GroupName.require(group);
    GroupLocking locking = new LvmGroup(host, group).locking();
    if (locking.lockType().equals("none")) {
      return new LockReport("none", true, true, List.of());
    }
    List<LockReport.Missing> missing = missing(locking);
    boolean started = false;
    if (missing.isEmpty()) {
      started = LockDaemons.lists(daemons.lvmlockd().orElse(""), group);
      if (!started) {
        missing.add(
            new LockReport.Missing(
                "lock space " + LockDaemons.lockSpace(group), "vgchange --lock-start " + group));
      } else if (!locking.globalLock()) {
        missing.add(
            new LockReport.Missing(
                "global lock",
                "start the lock space of the group that has it, or enable it in this group:"
                    + " lvmlockctl --gl-enable "
                    + group));
      }
    }
    return new LockReport(locking.lockType(), started, started && locking.globalLock(), missing);
  }

  /** Returns what the host lacks to join a lock space. */
  private List<LockReport.Missing> missing(GroupLocking locking) throws StorageException {
    List<LockReport.Missing> missing = new ArrayList<>();
    if (!locking.lockType().equals(SANLOCK)) {
      missing.add(
          new LockReport.Missing(
              "support of lock type " + locking.lockType(), "create the group with sanlock"));
      return missing;
    }
    requireProgram(missing, "lvmlockd", "lvm2-lockd");
    requireProgram(missing, "lvmlockctl", "lvm2-lockd");
    requireProgram(missing, SANLOCK, SANLOCK);
    if (!missing.isEmpty()) {
      return missing;
    }
    if (!locking.usesLockDaemon()) {
      missing.add(
          new LockReport.Missing(
              "setting global/use_lvmlockd", "echo 'global { use_lvmlockd = 1 }' >> " + SETTINGS));
    }
    if (locking.hostId().isEmpty()) {
      missing.add(
          new LockReport.Missing(
              "setting local/host_id",
              "echo 'local { host_id = N }' >> "
                  + SETTINGS
                  + ", N from 1 to 2000 and different on each node"));
    }
    if (!daemons.sanlockRuns()) {
      missing.add(new LockReport.Missing("daemon sanlock", "systemctl enable --now sanlock"));
    }
    if (daemons.lvmlockd().isEmpty()) {
      missing.add(new LockReport.Missing("daemon lvmlockd", "systemctl enable --now lvmlockd"));
    }
    return missing;
  }

  private void requireProgram(
      List<LockReport.Missing> missing, String program, String debianPackage)
      throws StorageException {
    if (host.find(program).isEmpty()) {
      missing.add(new LockReport.Missing("program " + program, "apt-get install " + debianPackage));
    }
  }

  @Override
  public Optional<LockHolder> holder(String group, String volumeUuid) throws StorageException {
    GroupName.require(group);
    requireStarted(group);
    LvmGroup lvm = new LvmGroup(host, group);
    OptionalLong offset = lvm.lockOffset(volumeUuid);
    if (offset.isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume group " + group + ": the volume " + volumeUuid + " has no lock of sanlock");
    }
    DiskLease lease =
        daemons.lease(group, volumeUuid, lvm.device(GroupLocking.LEASES), offset.getAsLong());
    if (lease.isFree()) {
      return Optional.empty();
    }
    Instant now = clock.instant();
    long second = daemons.now();
    return daemons.hosts(group).stream()
        .filter(owner -> owner.hostId() == lease.hostId() && owner.keeps(lease))
        .filter(owner -> owner.expiresAt() > second)
        .map(owner -> holder(owner, lease, now.minusSeconds(second)))
        .findFirst();
  }

  /** A lock space of sanlock that runs has all that it needs, so only another one is inspected. */
  private void requireStarted(String group) throws StorageException {
    if (host.find("lvmlockctl").isPresent() && isStarted(group)) {
      return;
    }
    LockReport report = inspect(group);
    if (!report.missing().isEmpty()) {
      throw lacks(group, report.missing());
    }
    if (!report.lockType().equals(SANLOCK)) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, "volume group " + group + " is not shared: it has no locks");
    }
  }

  /** Converts times; the owner's clock and this host's show the same renewal. */
  private static LockHolder holder(LockSpaceHost owner, DiskLease lease, Instant start) {
    Instant renewed = start.plusSeconds(owner.renewalSeen());
    return new LockHolder(
        owner.hostId(),
        Optional.of(owner.name()).filter(name -> !name.isEmpty()),
        Optional.of(renewed.minusSeconds(Math.max(0, owner.renewedAt() - lease.takenAt()))),
        renewed,
        start.plusSeconds(owner.expiresAt()));
  }

  @Override
  public void start(String group) throws StorageException {
    GroupName.require(group);
    LvmGroup lvm = new LvmGroup(host, group);
    GroupLocking locking = lvm.locking();
    if (locking.lockType().equals("none")) {
      return;
    }
    List<LockReport.Missing> missing = missing(locking);
    if (!missing.isEmpty()) {
      throw lacks(group, missing);
    }
    if (!isStarted(group)) {
      lvm.startLocks();
      if (!isStarted(group)) {
        throw new StorageException(
            ErrorCode.TIMEOUT,
            "volume group "
                + group
                + ": its lock space is not joined yet: sanlock waits for the end of this host's"
                + " former lease; try again");
      }
    }
  }

  private boolean isStarted(String group) throws StorageException {
    return LockDaemons.lists(daemons.lvmlockd().orElse(""), group);
  }
}

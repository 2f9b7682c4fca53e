package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.internal.lvm.GroupName;
import dev.holdfast.engine.lvm.blobs.internal.lvm.GroupView;
import dev.holdfast.engine.lvm.blobs.internal.lvm.LvmGroup;
import dev.holdfast.engine.lvm.blobs.internal.reports.RecentReports;
import dev.holdfast.engine.lvm.blobs.locks.LockHolder;
import dev.holdfast.engine.lvm.blobs.locks.LockReport;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Reports of the volume groups of one host. Each program of LVM reads the metadata of a whole
 * group, and in a shared group also takes its lock, so those who only look share one report: the
 * watches, and inspections. A command of this process that may change a group ends the sharing of
 * earlier reports. Steps that change something look for themselves. Thread-safe.
 */
public final class GroupReports {
  /** A lock of a lost host is held for at least 60 s. */
  private static final Duration LOCKS = Duration.ofSeconds(10);

  /** A group in which no request was made is looked at this often. */
  private static final Duration IDLE = Duration.ofSeconds(30);

  private final Host host;
  private final Duration idle;
  private final RecentReports<GroupView> views;
  private final RecentReports<LockReport> locks;
  private final RecentReports<Optional<LockHolder>> holders;

  /**
   * Creates the reports of a host.
   *
   * @param host on which the programs run
   * @param nanoTime a clock that never goes back, such as {@link System#nanoTime}
   * @param age how long a report is shared; zero to share none
   */
  public GroupReports(Host host, LongSupplier nanoTime, Duration age) {
    this.host = host;
    this.idle = age.isZero() ? age : IDLE;
    this.views = new RecentReports<>(nanoTime, age);
    Duration ofLocks = age.isZero() ? age : LOCKS;
    this.locks = new RecentReports<>(nanoTime, ofLocks);
    this.holders = new RecentReports<>(nanoTime, ofLocks);
  }

  /** Returns the host on which the programs run. */
  public Host host() {
    return host;
  }

  /** Returns a group whose commands end the sharing of earlier reports. */
  LvmGroup group(String name) {
    return new LvmGroup(host, name, () -> views.changed(name));
  }

  /** Returns the group as it is, for others too. */
  GroupView fresh(String name) throws StorageException {
    GroupName.require(name);
    return views.fresh(name, () -> group(name).view());
  }

  /** Returns the group as it was a short time ago, or is. */
  GroupView recent(String name) throws StorageException {
    GroupName.require(name);
    return views.recent(name, () -> group(name).view());
  }

  /** Returns the last report, however old it is. */
  Optional<GroupView> earlier(String name) {
    return views.earlier(name);
  }

  /** Returns whether the last report is at most 30 s old, and no command has changed the group. */
  boolean isKnown(String name) {
    return views.last(name, idle).isPresent();
  }

  /** Returns the group as it was at most 30 s ago, or is: for what identifies it. */
  GroupView known(String name) throws StorageException {
    GroupName.require(name);
    return views.recent(name, idle, () -> group(name).view());
  }

  /**
   * Looks at a volume group, which may have been a short time ago.
   *
   * @param group its name
   * @return what LVM reported
   * @throws StorageException as {@link BlobManager#group}
   */
  public GroupInfo recentInfo(String group) throws StorageException {
    return GroupRules.whole(host, recent(group).group());
  }

  /** Returns the locks of a group; those that cannot be used are looked at each time. */
  LockReport recentLocks(String group, RecentReports.Source<LockReport> source)
      throws StorageException {
    LockReport report = locks.recent(group, source);
    if (!report.usable()) {
      locks.changed(group);
    }
    return report;
  }

  /** Returns who had the lock of a pool a short time ago, or has it. */
  Optional<LockHolder> recentHolder(
      String group, String pool, RecentReports.Source<Optional<LockHolder>> source)
      throws StorageException {
    return holders.recent(group + "/" + pool, source);
  }
}

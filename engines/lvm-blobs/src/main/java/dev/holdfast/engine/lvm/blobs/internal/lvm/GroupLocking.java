package dev.holdfast.engine.lvm.blobs.internal.lvm;

import java.util.OptionalInt;

/**
 * How the commands of LVM on one host lock a group.
 *
 * @param lockType {@code none}, {@code sanlock} or {@code dlm}
 * @param usesLockDaemon whether LVM is configured to use lvmlockd
 * @param hostId that is configured for sanlock
 * @param globalLock whether the command that read the group could take the global lock
 */
public record GroupLocking(
    String lockType, boolean usesLockDaemon, OptionalInt hostId, boolean globalLock) {
  /** Name of the hidden volume with the leases of a group. */
  public static final String LEASES = "lvmlock";
}

package dev.holdfast.engine.lvm.blobs.internal.locks;

import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Host in a lock space, as {@code sanlock client host_status -D} prints it. Times are seconds:
 * those named "seen" of the monotonic clock of the host that prints them, the other one of that
 * host.
 *
 * @param hostId from 1 to 2000
 * @param name by which it registered itself
 * @param generation raised each time when it joins
 * @param renewedAt when it last renewed its lease, by its own clock; 0 after it left in order
 * @param renewalSeen when the renewal was last seen to change
 * @param ioTimeoutSeconds its I/O time limit, from which sanlock computes when its leases expire
 */
public record LockSpaceHost(
    int hostId,
    String name,
    long generation,
    long renewedAt,
    long renewalSeen,
    int ioTimeoutSeconds) {
  private static final Pattern START = Pattern.compile("(?m)^(?=\\d+ timestamp \\d+)");
  private static final int RENEWALS = 8;
  private static final int WATCHDOG_SECONDS = 60;

  /** Reads the output of {@code sanlock client host_status -s LOCKSPACE -D}. */
  public static List<LockSpaceHost> parse(String text) throws StorageException {
    List<LockSpaceHost> hosts = new ArrayList<>();
    for (String block : START.split(text, -1)) {
      if (!block.contains("owner_id")) {
        continue; // the name of the lock space
      }
      String values = block.substring(block.indexOf('\n') + 1);
      hosts.add(
          new LockSpaceHost(
              SanlockText.integer(values, "owner_id"),
              SanlockText.value(values, "owner_name").orElse(""),
              SanlockText.number(values, "owner_generation"),
              SanlockText.number(values, "timestamp"),
              SanlockText.number(values, "last_live"),
              SanlockText.integer(values, "io_timeout")));
    }
    return hosts;
  }

  /**
   * Returns when other hosts may take its leases unless it renews them, by the clock of the host
   * that printed this: sanlock waits for 8 I/O time limits, and for the watchdog of the lost host.
   */
  public long expiresAt() {
    return renewalSeen + (long) RENEWALS * ioTimeoutSeconds + WATCHDOG_SECONDS;
  }

  /** Returns whether it still has what it took with a generation. */
  public boolean keeps(DiskLease lease) {
    return renewedAt != 0 && generation == lease.hostGeneration();
  }
}

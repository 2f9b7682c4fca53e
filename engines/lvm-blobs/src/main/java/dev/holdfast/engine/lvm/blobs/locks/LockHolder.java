package dev.holdfast.engine.lvm.blobs.locks;

import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Host that holds a lock on a disk.
 *
 * @param hostId its number in the lock space, from 1 to 2000
 * @param name of the host as it registered itself; empty when the lock space does not tell
 * @param since when it took the lock; empty when the lock space does not tell
 * @param renewedAt when it last renewed its lease, by this host's clock
 * @param expiresAt when another host may take the lock if the lease is not renewed again
 */
public record LockHolder(
    int hostId,
    Optional<String> name,
    Optional<Instant> since,
    Instant renewedAt,
    Instant expiresAt) {
  /** Checks that nothing is missing. */
  public LockHolder {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(since, "since");
    Objects.requireNonNull(renewedAt, "renewedAt");
    Objects.requireNonNull(expiresAt, "expiresAt");
  }

  /** Returns the holder and its times, for messages. */
  @Override
  public String toString() {
    return "host "
        + name.orElse("with id " + hostId)
        + since.map(start -> " since " + start).orElse("")
        + ", lease renewed at "
        + renewedAt
        + ", free at "
        + expiresAt
        + " unless it is renewed";
  }
}

package dev.holdfast.snapshot.internal;

import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.RequestOutcome;
import dev.holdfast.resource.snapshot.SnapshotStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Statuses of a snapshot. */
final class SnapshotStatuses {
  private SnapshotStatuses() {}

  /** Returns the status of a snapshot that the engine has. */
  static SnapshotStatus of(SnapshotStatus earlier, SnapshotInfo listed, long sizeBytes) {
    boolean sizeKnown = earlier.restoreSize().bytes() > 0;
    return earlier
        .withReadyToUse(!listed.removed())
        .withCreationTime(Optional.of(listed.created().truncatedTo(ChronoUnit.SECONDS)))
        .withParent(listed.parent())
        .withChildren(listed.children())
        .withSize(new Quantity(listed.usedBytes()))
        .withRestoreSize(sizeKnown ? earlier.restoreSize() : new Quantity(sizeBytes))
        .withUserCreated(listed.userCreated())
        .withMarkRemoved(listed.removed())
        .withDataShared(listed.shared())
        .withChecksum(listed.checksum())
        .withError("")
        .withMessage("");
  }

  /** Returns the status of a snapshot that permanently failed. */
  static SnapshotStatus failed(SnapshotStatus earlier, String error) {
    return earlier.withReadyToUse(false).withError(error).withMessage("").withEndpoint("");
  }

  static RequestOutcome ended(String request, Instant now, String result, String error) {
    return new RequestOutcome(
        request, Optional.of(now.truncatedTo(ChronoUnit.SECONDS)), result, error);
  }
}

package dev.holdfast.sharing.internal;

import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.attachment.WorkloadTickets;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import java.util.Optional;

/** Whether a share must be served. */
enum ShareNeed {
  /** A workload or the specification requires the share, and the volume can be used. */
  REQUIRED,
  /** The share is required, but the volume is faulted. */
  FAULTED,
  /** The share is not required, or the volume cannot be shared. */
  NOT_REQUIRED;

  static ShareNeed of(
      ShareManager share, Optional<Volume> volume, Optional<VolumeAttachment> attachment) {
    boolean usable =
        volume
            .filter(v -> !v.isBeingDeleted() && ShareManager.isShared(v))
            .filter(v -> !v.awaitsContent() || v.isUsableWhileCopied())
            .isPresent();
    if (share.isBeingDeleted() || !usable || !isWanted(share, attachment)) {
      return NOT_REQUIRED;
    }
    return volume.get().status().robustness() == Robustness.FAULTED ? FAULTED : REQUIRED;
  }

  private static boolean isWanted(ShareManager share, Optional<VolumeAttachment> attachment) {
    return share.spec().serve()
        || attachment
            .filter(
                found ->
                    found.spec().attachmentTickets().values().stream()
                        .anyMatch(ticket -> ticket.type().equals(WorkloadTickets.TYPE)))
            .isPresent();
  }
}

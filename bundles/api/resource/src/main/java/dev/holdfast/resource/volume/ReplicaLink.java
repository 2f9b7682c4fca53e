package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;

/**
 * Report of a replica whether it shares the content of its volume's source snapshot.
 *
 * @param snapshotUID uid of the Snapshot resource; empty if nothing is reported
 * @param state whether the replica can share the content, or shares it
 * @param message the cause of a refusal, or the condition for which the replica waits; may be empty
 */
public record ReplicaLink(String snapshotUID, LinkState state, String message) {
  /** The state without a report. */
  public static final ReplicaLink NONE = new ReplicaLink(null, null, null);

  /** Replaces null components by their defaults. */
  public ReplicaLink {
    snapshotUID = Defaults.text(snapshotUID);
    state = Defaults.or(state, LinkState.NONE);
    message = Defaults.text(message);
  }

  /** Returns whether this report has a state for a snapshot. */
  public boolean says(LinkState wanted, String snapshot) {
    return state == wanted && snapshotUID.equals(snapshot);
  }
}

package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;

/**
 * A replica's report whether it shares the content of the snapshot from which its volume is cloned.
 *
 * @param snapshotUID uid of the Snapshot resource; empty if nothing is reported
 * @param state whether the replica can share the content, or shares it
 * @param message the cause of a refusal, or the condition for which the replica waits; may be empty
 */
public record ReplicaLink(String snapshotUID, LinkState state, String message) {
  /** Nothing is reported. */
  public static final ReplicaLink NONE = new ReplicaLink(null, null, null);

  /** Replaces what is null by its default. */
  public ReplicaLink {
    snapshotUID = Defaults.text(snapshotUID);
    state = Defaults.or(state, LinkState.NONE);
    message = Defaults.text(message);
  }

  /** Returns whether this report concerns a snapshot. */
  public boolean says(LinkState wanted, String snapshot) {
    return state == wanted && snapshotUID.equals(snapshot);
  }
}

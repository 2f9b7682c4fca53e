package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;

/**
 * What a replica says of sharing the content of the snapshot that its volume is a copy of.
 *
 * @param snapshotUID uid of that snapshot's resource, empty when it says nothing
 * @param state whether it can, or does
 * @param message why it cannot, or what it waits for; empty for nothing
 */
public record ReplicaLink(String snapshotUID, LinkState state, String message) {
  /** Nothing is said. */
  public static final ReplicaLink NONE = new ReplicaLink(null, null, null);

  /** Replaces what is null by its default. */
  public ReplicaLink {
    snapshotUID = Defaults.text(snapshotUID);
    state = Defaults.or(state, LinkState.NONE);
    message = Defaults.text(message);
  }

  /** Returns whether this is said of a snapshot. */
  public boolean says(LinkState wanted, String snapshot) {
    return state == wanted && snapshotUID.equals(snapshot);
  }
}

package dev.holdfast.resource.volume;

/** The state of a volume's attachment to a node. */
public enum VolumeState {
  /** The replicas are being provisioned. */
  CREATING("creating"),
  /** Fully detached. */
  DETACHED("detached"),
  /** Being attached to a node. */
  ATTACHING("attaching"),
  /** Fully attached. */
  ATTACHED("attached"),
  /** Being detached from a node. */
  DETACHING("detaching"),
  /** Being deleted. */
  DELETING("deleting");

  private final String wireName;

  VolumeState(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}

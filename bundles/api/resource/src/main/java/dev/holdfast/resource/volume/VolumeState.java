package dev.holdfast.resource.volume;

/** Where a volume is on its way to and from a node (seed 000; SEMANTICS A.12). */
public enum VolumeState {
  /** Its parts are being made. */
  CREATING("creating"),
  /** Fully detached. */
  DETACHED("detached"),
  /** On its way to a node. */
  ATTACHING("attaching"),
  /** Fully attached. */
  ATTACHED("attached"),
  /** On its way from a node. */
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

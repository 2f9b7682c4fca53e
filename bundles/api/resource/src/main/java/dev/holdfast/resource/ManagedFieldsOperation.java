package dev.holdfast.resource;

/** How a client came to the fields that it manages. */
public enum ManagedFieldsOperation {
  /** By server-side apply: what it no longer names, it gives up. */
  APPLY("Apply"),
  /** By any other write that changed them. */
  UPDATE("Update");

  private final String text;

  ManagedFieldsOperation(String text) {
    this.text = text;
  }

  /** Returns the value as it stands in JSON. */
  @Override
  public String toString() {
    return text;
  }
}

package dev.holdfast.resource;

/** The operation by which a client became the manager of its fields. */
public enum ManagedFieldsOperation {
  /** Server-side apply: the client releases the fields that it no longer names. */
  APPLY("Apply"),
  /** Any other write that changed the fields. */
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

package dev.holdfast.access;

/** Access of a client to its volumes. */
public enum ClientAccess {
  /** Reads and writes. */
  READ_WRITE("ReadWrite"),
  /** Reads only. */
  READ_ONLY("ReadOnly");

  private final String text;

  ClientAccess(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}

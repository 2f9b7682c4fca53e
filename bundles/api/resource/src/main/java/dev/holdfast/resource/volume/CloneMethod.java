package dev.holdfast.resource.volume;

/**
 * Method by which a clone receives the content of its source.
 *
 * <pre>
 *   (undecided) --> link --> unlink --> copy
 *        |                               ^
 *        +-------------------------------+
 * </pre>
 */
public enum CloneMethod {
  /**
   * The method is undecided, because none of the first replicas was provisioned on a node that can
   * link.
   */
  UNDECIDED(""),
  /** All first replicas share the content of the snapshot. */
  LINK("link"),
  /** One of the first replicas could not share the content: all are removed before the copy. */
  UNLINK("unlink"),
  /** All first replicas are empty, and the content is copied into them. */
  COPY("copy");

  private final String wireName;

  CloneMethod(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name in the API, which is also what JSON holds. */
  @Override
  public String toString() {
    return wireName;
  }
}

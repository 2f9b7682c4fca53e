package dev.holdfast.resource.volume;

/**
 * How a volume gets the content of what it is a copy of.
 *
 * <pre>
 *   (undecided) --> link --> unlink --> copy
 *        |                               ^
 *        +-------------------------------+
 * </pre>
 */
public enum CloneMethod {
  /** Not decided: none of its first replicas is made by who can link. */
  UNDECIDED(""),
  /** All its first replicas are made of the snapshot's content, which they share. */
  LINK("link"),
  /** One of them could not be: all go, and then it is copied. */
  UNLINK("unlink"),
  /** All are made empty, and the content is copied into them. */
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

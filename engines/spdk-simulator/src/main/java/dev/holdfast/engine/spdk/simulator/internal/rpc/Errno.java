package dev.holdfast.engine.spdk.simulator.internal.rpc;

/** Error numbers of Linux that SPDK reports, with their texts. */
public enum Errno {
  EPERM(1, "Operation not permitted"),
  ENOENT(2, "No such file or directory"),
  EIO(5, "Input/output error"),
  EEXIST(17, "File exists"),
  ENODEV(19, "No such device"),
  EINVAL(22, "Invalid argument"),
  ENOSPC(28, "No space left on device"),
  EALREADY(114, "Operation already in progress"),
  ENOKEY(126, "Required key not available");

  private final int number;
  private final String text;

  Errno(int number, String text) {
    this.number = number;
    this.text = text;
  }

  /** Returns the number, positive. */
  public int number() {
    return number;
  }

  /** Returns the text of {@code strerror}. */
  public String text() {
    return text;
  }
}

package dev.holdfast.engine.spdk.simulator.internal.rpc;

/** A failed operation of the target, before a method decides how it reports the failure. */
public final class ErrnoException extends Exception {
  private static final long serialVersionUID = 1L;

  private final Errno errno;

  /** Creates an exception. */
  public ErrnoException(Errno errno) {
    super(errno.text());
    this.errno = errno;
  }

  /** Returns the error number. */
  public Errno errno() {
    return errno;
  }
}

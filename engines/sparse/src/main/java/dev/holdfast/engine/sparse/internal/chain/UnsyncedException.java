package dev.holdfast.engine.sparse.internal.chain;

import java.io.IOException;

/** A sync failed during a request: what is on the disk stays unknown. */
public final class UnsyncedException extends IOException {
  private static final long serialVersionUID = 1L;

  UnsyncedException(IOException cause) {
    super(cause.getMessage(), cause);
  }
}

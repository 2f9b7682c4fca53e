package dev.holdfast.engine.sparse.internal.chain;

import java.io.IOException;

/** A sync failed in the midst of a request: what is on the disk is unknown for good. */
public final class UnsyncedException extends IOException {
  private static final long serialVersionUID = 1L;

  UnsyncedException(IOException cause) {
    super(cause.getMessage(), cause);
  }
}

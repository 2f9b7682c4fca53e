package dev.holdfast.engine.sparse.internal.chain;

import java.io.IOException;

/** Reports that a sync failed during a request: the content of the disk is unknown. */
public final class UnsyncedException extends IOException {
  private static final long serialVersionUID = 1L;

  UnsyncedException(IOException cause) {
    super(cause.getMessage(), cause);
  }
}

package dev.holdfast.frontend.nvmeof.internal.controller;

import dev.holdfast.frontend.nvmeof.internal.wire.CompletionEntry;

/** A queue's connection as its controller sees it. Any thread may use it. */
public interface ControllerQueue {
  /** Completes a waiting command. Returns false when that cannot be sent now. */
  boolean tell(CompletionEntry entry);

  /** Ends the connection. */
  void disconnect();

  /** Returns whether the session lost its connection without being told. */
  boolean gone();
}

package dev.holdfast.frontend.nvmeof.internal.controller;

import dev.holdfast.frontend.nvmeof.internal.wire.CompletionEntry;

/** A queue's connection as its controller sees it; for any thread. */
public interface ControllerQueue {
  /** Answers a command that waited. Returns false when that cannot be sent now. */
  boolean tell(CompletionEntry entry);

  /** Ends the connection. */
  void disconnect();

  /** Returns whether the session lost its connection without a report. */
  boolean gone();
}

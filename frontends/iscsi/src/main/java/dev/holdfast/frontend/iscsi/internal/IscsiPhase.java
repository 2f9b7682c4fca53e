package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.iscsi.internal.pdu.Digests;
import dev.holdfast.frontend.iscsi.internal.pdu.Frame;
import java.util.Map;

/** A phase of a connection, which handles the PDUs of this phase. */
interface IscsiPhase {

  /** Returns which digests PDUs have. */
  Digests digests();

  /** Returns how much data a PDU may have. */
  int receiveAtMost();

  /** Takes a PDU whose header is intact. Returns the phase that the next PDU belongs to. */
  IscsiPhase handle(Frame frame);

  /** Returns whether the connection is to end. */
  boolean ended();

  /** Ends; the argument is run when the last request has left the device. */
  void stop(Runnable stopped);

  /** Fields that the next session needs to resume this phase. */
  Map<String, String> fields();
}

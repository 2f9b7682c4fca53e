package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.frontend.iscsi.internal.pdu.Digests;
import dev.holdfast.frontend.iscsi.internal.pdu.Frame;
import java.util.Map;

/** A phase of a connection, which handles the PDUs of this phase. */
interface IscsiPhase {

  /** Returns which digests the PDUs have. */
  Digests digests();

  /** Returns the maximum data of a PDU in bytes. */
  int receiveAtMost();

  /** Handles a PDU whose header is intact. Returns the phase of the next PDU. */
  IscsiPhase handle(Frame frame);

  /** Returns whether the connection must end. */
  boolean ended();

  /** Ends the phase; runs the argument when the last request has left the device. */
  void stop(Runnable stopped);

  /** Returns the fields that the next session needs to resume this phase. */
  Map<String, String> fields();
}

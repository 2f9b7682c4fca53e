package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.block.Completion;

/** A command as seen by the transport: its data and its response. */
public interface ScsiTask {

  /**
   * Sends parameter data and ends the command.
   *
   * @param data complete data, not null
   * @param allocation maximum bytes that the initiator accepts
   */
  void answer(byte[] data, long allocation);

  /**
   * Sends bytes of the device.
   *
   * @param offset first byte
   * @param length in bytes
   */
  void read(long offset, long length);

  /**
   * Returns a completion for one more request at the device; the command ends with the last one.
   */
  Completion part();
}

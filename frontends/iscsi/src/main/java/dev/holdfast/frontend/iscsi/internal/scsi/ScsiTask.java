package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.block.Completion;

/** The transport's side of a command: its data and its answer. */
public interface ScsiTask {

  /**
   * Sends parameter data; the command ends with it.
   *
   * @param data all there is, not null
   * @param allocation how much the initiator takes
   */
  void answer(byte[] data, long allocation);

  /**
   * Sends bytes of the device.
   *
   * @param offset first byte
   * @param length in bytes
   */
  void read(long offset, long length);

  /** Returns a completion for one more request at the device; the command ends with the last. */
  Completion part();
}

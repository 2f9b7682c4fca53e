package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.reservation.WriteGate;
import java.util.Objects;

/**
 * The volume behind a logical unit.
 *
 * @param name name of the export, from which all identifiers are derived, not null
 * @param target name of the iSCSI target, not null
 * @param device not null
 * @param state state that all connections to it share, not null
 * @param gate gate that all writes to it pass, not null
 */
public record Volume(
    String name, String target, BlockDevice device, ExportState state, WriteGate gate) {
  /** Bytes of a logical block. */
  static final int BLOCK = 512;

  /** Checks that all parts are present. */
  public Volume {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(device, "device");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(gate, "gate");
  }

  /** Returns the number of whole logical blocks. */
  long blocks() {
    return device.size() / BLOCK;
  }

  /** Returns how many logical blocks a block of the device has, as an exponent of two. */
  int physicalExponent() {
    return Integer.numberOfTrailingZeros(Math.max(BLOCK, device.blockSize()) / BLOCK);
  }
}

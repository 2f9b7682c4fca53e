package dev.holdfast.frontend.iscsi.internal.scsi;

/**
 * The blocks that a command concerns.
 *
 * @param offset of the first byte
 * @param length in bytes
 */
record Extent(long offset, long length) {
  /** Maximum bytes that one command may transfer; reported in the block limits page. */
  static final int LARGEST = 32 << 20;

  /** Maximum bytes that are compared with an initiator's data. */
  private static final int GATHERED = 4 << 20;

  /** Checks the blocks of a transfer. */
  static Extent moved(Cdb cdb, Volume volume) throws CommandException {
    if (cdb.opcode() >= 0x20 && cdb.bit(1, 0xe0)) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    Extent extent = inside(cdb.lba(), cdb.blocks(), volume);
    if (extent.length() > LARGEST) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    return extent;
  }

  /** Checks the blocks of a command whose data is gathered in memory. */
  static Extent gathered(Cdb cdb, Volume volume) throws CommandException {
    Extent extent = moved(cdb, volume);
    if (extent.length() > GATHERED) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    return extent;
  }

  /** Checks blocks anywhere on the volume. */
  static Extent inside(long lba, long blocks, Volume volume) throws CommandException {
    long all = volume.blocks();
    if (lba < 0 || lba > all || blocks > all - lba) {
      throw CommandException.of(Sense.OUT_OF_RANGE);
    }
    return new Extent(lba * Volume.BLOCK, blocks * Volume.BLOCK);
  }
}

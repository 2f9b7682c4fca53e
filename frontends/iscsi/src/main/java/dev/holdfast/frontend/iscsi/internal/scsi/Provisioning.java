package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.IoFlags;
import java.nio.ByteBuffer;

/** UNMAP, WRITE SAME and GET LBA STATUS (SBC-3, 4.7). */
final class Provisioning {
  /** Maximum blocks of one WRITE SAME. */
  static final int LARGEST_SAME = 0x20000;

  /** Maximum ranges of one UNMAP. */
  static final int MOST_RANGES = 256;

  private static final int ANCHOR = 0x10;
  private static final int UNMAP = 0x08;
  private static final int NO_DATA = 0x01;
  private static final int LIST_HEADER = 8;
  private static final int RANGE = 16;
  private static final int MOST_STATUSES = 255;

  private final Volume volume;
  private final BlockingDevice device;

  Provisioning(Volume volume) {
    this.volume = volume;
    this.device = new BlockingDevice(volume.device());
  }

  Plan unmap(Cdb cdb) throws CommandException {
    if (cdb.bit(1, 0x01)) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    return Plan.gathered(cdb.u16(7), (task, list) -> unmap(task, list));
  }

  private void unmap(ScsiTask task, ByteBuffer list) throws CommandException {
    int length = list.remaining();
    if (length == 0) {
      return;
    }
    if (length < LIST_HEADER) {
      throw CommandException.of(Sense.LIST_LENGTH);
    }
    int ranges =
        Math.min(list.getShort(list.position() + 2) & 0xffff, length - LIST_HEADER) / RANGE;
    if (ranges > MOST_RANGES) {
      throw CommandException.of(Sense.INVALID_PARAMETER);
    }
    Extent[] extents = new Extent[ranges];
    for (int i = 0; i < ranges; i++) {
      int at = list.position() + LIST_HEADER + i * RANGE;
      extents[i] = Extent.inside(list.getLong(at), list.getInt(at + 8) & 0xffffffffL, volume);
    }
    for (Extent extent : extents) {
      unmap(task, extent);
    }
  }

  /**
   * Whole blocks of the device are deallocated; partial ones at the ends become zeroes, as LBPRZ
   * promises.
   */
  private void unmap(ScsiTask task, Extent extent) {
    long block = volume.device().blockSize();
    long end = extent.offset() + extent.length();
    long first = (extent.offset() + block - 1) / block * block;
    long last = end / block * block;
    if (first >= last) {
      zero(task, extent.offset(), end);
      return;
    }
    zero(task, extent.offset(), first);
    volume.device().trim(first, last - first, IoFlags.NONE, task.part());
    zero(task, last, end);
  }

  private void zero(ScsiTask task, long from, long end) {
    if (from < end) {
      volume.device().writeZeroes(from, end - from, IoFlags.NONE, task.part());
    }
  }

  Plan writeSame(Cdb cdb) throws CommandException {
    boolean noData = cdb.opcode() == Command.WRITE_SAME_16.opcode() && cdb.bit(1, NO_DATA);
    if (cdb.bit(1, 0xe0 | ANCHOR) || cdb.blocks() == 0 || cdb.blocks() > LARGEST_SAME) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    Extent extent = Extent.inside(cdb.lba(), cdb.blocks(), volume);
    boolean unmap = cdb.bit(1, UNMAP);
    if (noData) {
      return Plan.now((task, none) -> zeroes(task, extent, unmap));
    }
    return Plan.exactly(
        Volume.BLOCK,
        (task, data) -> {
          if (data.mismatch(ByteBuffer.allocate(Volume.BLOCK)) < 0) {
            zeroes(task, extent, unmap);
          } else {
            repeat(extent, data);
          }
        });
  }

  private void zeroes(ScsiTask task, Extent extent, boolean unmap) {
    if (unmap) {
      unmap(task, extent);
    } else {
      volume.device().writeZeroes(extent.offset(), extent.length(), IoFlags.NO_HOLE, task.part());
    }
  }

  private void repeat(Extent extent, ByteBuffer block) throws CommandException {
    int most = (int) Math.min(BlockingDevice.PIECE, extent.length());
    ByteBuffer piece = ByteBuffer.allocateDirect(most);
    while (piece.hasRemaining()) {
      piece.put(block.duplicate());
    }
    for (long done = 0; done < extent.length(); done += piece.limit()) {
      piece.clear().limit((int) Math.min(most, extent.length() - done));
      device.write(extent.offset() + done, piece, IoFlags.NONE);
    }
  }

  Plan lbaStatus(Cdb cdb) throws CommandException {
    long lba = cdb.lba();
    if (lba < 0 || lba >= volume.blocks()) {
      throw CommandException.of(Sense.OUT_OF_RANGE);
    }
    return Plan.now((task, none) -> task.answer(statuses(lba), cdb.u32(10)));
  }

  private byte[] statuses(long lba) throws CommandException {
    Statuses found = new Statuses(lba);
    long offset = lba * Volume.BLOCK;
    long length = volume.blocks() * Volume.BLOCK - offset;
    device.await(false, done -> volume.device().extents(offset, length, found::extent, done));
    return found.encode();
  }

  /** Gathers descriptors: partly mapped blocks count as mapped. */
  private static final class Statuses {
    private final ByteBuffer data = ByteBuffer.allocate(8 + MOST_STATUSES * RANGE);
    private long next;
    private long blocks;
    private boolean mapped;

    Statuses(long first) {
      next = first;
      data.position(8);
    }

    boolean extent(long offset, long length, ExtentKind kind) {
      boolean data = kind != ExtentKind.HOLE;
      long end = offset + length;
      long last = data ? (end + Volume.BLOCK - 1) / Volume.BLOCK : end / Volume.BLOCK;
      long count = last - next - blocks;
      if (count <= 0) {
        return true;
      }
      if (blocks > 0 && data != mapped && !close()) {
        return false;
      }
      mapped = data;
      blocks += count;
      return true;
    }

    private boolean close() {
      while (blocks > 0 && data.hasRemaining()) {
        int count = (int) Math.min(blocks, 0x7fffffffL);
        data.putLong(next).putInt(count).putInt(mapped ? 0 : 0x01000000);
        next += count;
        blocks -= count;
      }
      return data.hasRemaining();
    }

    byte[] encode() {
      boolean unused = close();
      byte[] whole = java.util.Arrays.copyOf(data.array(), data.position());
      ByteBuffer.wrap(whole).putInt(0, whole.length - Integer.BYTES);
      return whole;
    }
  }
}

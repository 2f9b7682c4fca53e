package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.block.IoFlags;
import dev.holdfast.block.IoThread;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.Lock;

/** READ, WRITE, VERIFY and their kin (SBC-3, 5). */
final class Transfers {
  private static final int FUA = 0x08;
  private static final int BYTE_CHECK = 0x06;

  private final Volume volume;
  private final BlockingDevice device;

  Transfers(Volume volume) {
    this.volume = volume;
    this.device = new BlockingDevice(volume.device());
  }

  Plan read(Cdb cdb) throws CommandException {
    Extent extent = Extent.moved(cdb, volume);
    return Plan.now((task, none) -> task.read(extent.offset(), extent.length()));
  }

  Plan write(Cdb cdb) throws CommandException {
    Extent extent = Extent.moved(cdb, volume);
    boolean durable = cdb.opcode() >= 0x20 && cdb.bit(1, FUA);
    return Plan.written(
        extent.offset(), (int) extent.length(), durable ? IoFlags.FUA : IoFlags.NONE);
  }

  Plan writeAndVerify(Cdb cdb) throws CommandException {
    Extent extent = Extent.gathered(cdb, volume);
    requireCheck(cdb, 0, 1);
    return Plan.gathered(
        (int) extent.length(),
        (task, data) -> {
          device.write(extent.offset(), data.duplicate(), IoFlags.NONE);
          device.await(true, done -> volume.device().flush(done));
          requireEqual(extent.offset(), data);
        });
  }

  Plan verify(Cdb cdb) throws CommandException {
    int check = requireCheck(cdb, 0, 1, 3);
    Extent extent = check == 1 ? Extent.gathered(cdb, volume) : Extent.moved(cdb, volume);
    return switch (check) {
      case 0 -> Plan.now((task, none) -> readable(extent));
      case 1 ->
          Plan.gathered((int) extent.length(), (task, data) -> requireEqual(extent.offset(), data));
      default ->
          Plan.gathered(
              extent.length() == 0 ? 0 : Volume.BLOCK,
              (task, data) -> {
                for (long done = 0; done < extent.length(); done += Volume.BLOCK) {
                  requireEqual(extent.offset() + done, data);
                }
              });
    };
  }

  /** Compares and then writes atomically, while other connections' writes wait. */
  Plan compareAndWrite(Cdb cdb) throws CommandException {
    if (cdb.bit(1, 0xe0)) {
      throw CommandException.of(Sense.INVALID_FIELD);
    }
    Extent extent = Extent.inside(cdb.lba(), cdb.u8(13), volume);
    int half = (int) extent.length();
    int flags = cdb.bit(1, FUA) ? IoFlags.FUA : IoFlags.NONE;
    return Plan.exactly(
        2 * half,
        (task, data) -> {
          Lock lock = volume.state().lock();
          if (!lock.tryLock()) {
            // The holder may wait for this thread's deferred I/O.
            IoThread.settle();
            lock.lock();
          }
          try {
            requireEqual(extent.offset(), data.slice(data.position(), half));
            device.write(extent.offset(), data.slice(data.position() + half, half), flags);
          } finally {
            lock.unlock();
          }
        });
  }

  /** The frontend has no cache to fill: it only checks the range. */
  Plan preFetch(Cdb cdb) throws CommandException {
    Extent unused = Extent.inside(cdb.lba(), cdb.blocks(), volume);
    return Plan.now((task, none) -> {});
  }

  Plan synchronizeCache(Cdb cdb) throws CommandException {
    Extent unused = Extent.inside(cdb.lba(), cdb.blocks(), volume);
    // With IMMED the command could end before the data is durable; ending later is permitted.
    return Plan.now((task, none) -> volume.device().flush(task.part()));
  }

  private void readable(Extent extent) throws CommandException {
    ByteBuffer piece =
        ByteBuffer.allocateDirect(
            (int) Math.min(BlockingDevice.PIECE, Math.max(1, extent.length())));
    for (long done = 0; done < extent.length(); done += piece.limit()) {
      piece.clear().limit((int) Math.min(piece.capacity(), extent.length() - done));
      device.read(extent.offset() + done, piece);
    }
  }

  private void requireEqual(long offset, ByteBuffer data) throws CommandException {
    long difference = device.compare(offset, data);
    if (difference >= 0) {
      throw CommandException.of(Sense.miscompare(difference));
    }
  }

  private static int requireCheck(Cdb cdb, int... known) throws CommandException {
    int check = (cdb.u8(1) & BYTE_CHECK) >> 1;
    for (int one : known) {
      if (one == check) {
        return check;
      }
    }
    throw CommandException.of(Sense.INVALID_FIELD);
  }
}

package dev.holdfast.engine.spdk.internal.replica;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.engine.spdk.internal.data.BlockingIo;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * A record in two slots of a small device. A write goes to the slot of the older one, so that an
 * interrupted write leaves the newer one. For one thread.
 *
 * <pre>
 *   slot:  magic (8) ─ number of the write (8) ─ length (4) ─ CRC-32C of all else (4) ─ record
 * </pre>
 */
final class RecordSlots {
  /** Size of the device. */
  static final int SIZE = 2 << 20;

  private static final int SLOT = SIZE / 2;
  private static final int HEADER = 24;
  private static final int BLOCK = 4_096;
  private static final long MAGIC = 0x68662d7265636f72L; // hf-recor

  private final String what;
  private final BlockDevice device;
  private long number;
  private boolean written;

  /**
   * Creates a view.
   *
   * @param what the record is, for messages
   */
  RecordSlots(String what, BlockDevice device) {
    this.what = what;
    this.device = device;
  }

  /** A slot that was written completely. */
  private record Slot(long number, ByteBuffer record) {}

  private Optional<Slot> slot(int index) throws StorageException {
    ByteBuffer head = BlockingIo.read(what, device, (long) index * SLOT, BLOCK);
    long magic = head.getLong();
    long last = head.getLong();
    int length = head.getInt();
    int sum = head.getInt();
    this.written |= magic != 0;
    if (magic != MAGIC || length < 0 || length > SLOT - HEADER) {
      return Optional.empty();
    }
    byte[] record = new byte[length];
    int there = Math.min(length, BLOCK - HEADER);
    head.get(record, 0, there);
    if (length > there) {
      BlockingIo.read(what, device, (long) index * SLOT + BLOCK, rounded(length - there))
          .get(record, there, length - there);
    }
    return checksum(last, record) == sum
        ? Optional.of(new Slot(last, ByteBuffer.wrap(record)))
        : Optional.empty();
  }

  private static int rounded(int length) {
    return (length + BLOCK - 1) / BLOCK * BLOCK;
  }

  private static int checksum(long number, byte[] record) {
    CRC32C sum = new CRC32C();
    sum.update(ByteBuffer.allocate(12).putLong(number).putInt(record.length).flip());
    sum.update(record);
    return (int) sum.getValue();
  }

  /**
   * Reads the newest record.
   *
   * @return it, empty when none was ever written
   * @throws StorageException IO when both slots are damaged
   */
  Optional<byte[]> read() throws StorageException {
    Optional<Slot> first = slot(0);
    Optional<Slot> second = slot(1);
    Optional<Slot> newest =
        first.isPresent() && (second.isEmpty() || first.get().number() > second.get().number())
            ? first
            : second;
    if (newest.isEmpty() && written) {
      throw new StorageException(
          ErrorCode.IO, what + ": both copies are damaged: delete the replica and rebuild it");
    }
    number = newest.map(Slot::number).orElse(0L);
    return newest.map(slot -> slot.record().array());
  }

  /** Writes a record. {@link #read} must have been called before. */
  void write(byte[] record) throws StorageException {
    if (record.length > SLOT - HEADER) {
      throw new StorageException(
          ErrorCode.INVALID,
          what
              + ": has "
              + record.length
              + " bytes, limit is "
              + (SLOT - HEADER)
              + ": delete snapshots");
    }
    long next = number + 1;
    ByteBuffer bytes = ByteBuffer.allocateDirect(rounded(HEADER + record.length));
    bytes.putLong(MAGIC).putLong(next).putInt(record.length).putInt(checksum(next, record));
    bytes.put(record);
    BlockingIo.write(what, device, next % 2 * SLOT, bytes.clear());
    number = next;
  }
}

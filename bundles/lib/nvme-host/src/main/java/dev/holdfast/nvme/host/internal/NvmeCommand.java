package dev.holdfast.nvme.host.internal;

import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A command and its data. Filled by one thread before it is submitted. */
final class NvmeCommand {
  static final int ENTRY = 64;
  static final ByteBuffer NO_DATA = ByteBuffer.allocate(0);

  private static final int FABRICS = 0x7f;
  private static final int SGL = 0x40;

  private final ByteBuffer entry = ByteBuffer.allocate(ENTRY).order(ByteOrder.LITTLE_ENDIAN);
  private final Answer answer;
  private ByteBuffer toTarget = NO_DATA;
  private ByteBuffer fromTarget = NO_DATA;
  private boolean inCapsule;
  private long deadline;

  /** Receives the result of a command once, on the queue's thread. */
  interface Answer {
    /**
     * The command has ended.
     *
     * @param status 0 for success, meaningless after a failure
     * @param result dwords 0 and 1
     * @param failure null when the target answered
     */
    void ended(int status, long result, StorageException failure);
  }

  NvmeCommand(int opcode, Answer answer) {
    this.answer = answer;
    entry.put(0, (byte) opcode).put(1, (byte) SGL);
  }

  static NvmeCommand fabrics(int type, Answer answer) {
    NvmeCommand command = new NvmeCommand(FABRICS, answer);
    command.entry.put(4, (byte) type);
    return command;
  }

  NvmeCommand namespace(int id) {
    entry.putInt(4, id);
    return this;
  }

  /** Sets a dword, from 10 on. */
  NvmeCommand dword(int number, int value) {
    entry.putInt(4 * number, value);
    return this;
  }

  /** Sets the first block and the number of blocks. */
  NvmeCommand range(long block, int blocks) {
    entry.putLong(40, block);
    return dword(12, blocks - 1);
  }

  NvmeCommand or(int number, int value) {
    return dword(number, entry.getInt(4 * number) | value);
  }

  /** Sends the remaining bytes of a buffer. */
  NvmeCommand sending(ByteBuffer data) {
    toTarget = data;
    return this;
  }

  /** Receives bytes until a buffer has no remaining ones. */
  NvmeCommand receiving(ByteBuffer data) {
    fromTarget = data;
    return this;
  }

  /** Completes the entry: number, data descriptor and deadline. */
  void prepare(int id, int capsuleRoom, long until) {
    deadline = until;
    int length = toTarget.remaining() + fromTarget.remaining();
    inCapsule = toTarget.hasRemaining() && length <= capsuleRoom;
    entry.putShort(2, (short) id).putLong(24, 0).putInt(32, length);
    entry.put(39, (byte) (inCapsule ? 0x01 : 0x5a));
  }

  ByteBuffer entry() {
    return entry;
  }

  boolean isInCapsule() {
    return inCapsule;
  }

  ByteBuffer toTarget() {
    return toTarget;
  }

  ByteBuffer fromTarget() {
    return fromTarget;
  }

  boolean isLate(long now) {
    return now - deadline > 0;
  }

  void ended(int status, long result, StorageException failure) {
    answer.ended(status, result, failure);
  }
}

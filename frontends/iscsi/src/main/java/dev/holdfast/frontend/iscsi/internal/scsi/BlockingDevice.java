package dev.holdfast.frontend.iscsi.internal.scsi;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.IoThread;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** Blocking access to the device for commands of several steps, which are rare. */
final class BlockingDevice {
  /** Maximum bytes per read or write. */
  static final int PIECE = 1 << 20;

  private final BlockDevice device;

  BlockingDevice(BlockDevice device) {
    this.device = device;
  }

  /** Reads into a buffer, and flips it for reading. */
  void read(long offset, ByteBuffer target) throws CommandException {
    await(false, done -> device.read(offset, target, done));
    target.flip();
  }

  void write(long offset, ByteBuffer source, int flags) throws CommandException {
    await(true, done -> device.write(offset, source, flags, done));
  }

  /**
   * Compares bytes of the device with others. Returns the offset of the first difference, or -1.
   */
  long compare(long offset, ByteBuffer expected) throws CommandException {
    ByteBuffer piece =
        ByteBuffer.allocateDirect(Math.min(PIECE, Math.max(1, expected.remaining())));
    for (int done = 0; done < expected.remaining(); done += piece.limit()) {
      piece.clear().limit(Math.min(piece.capacity(), expected.remaining() - done));
      read(offset + done, piece);
      int difference =
          piece.mismatch(expected.slice(expected.position() + done, piece.remaining()));
      if (difference >= 0) {
        return done + (long) difference;
      }
    }
    return -1;
  }

  /** Issues a request and waits for its end. */
  void await(boolean write, Consumer<Completion> request) throws CommandException {
    CountDownLatch ended = new CountDownLatch(1);
    StorageException[] failure = new StorageException[1];
    request.accept(
        outcome -> {
          failure[0] = outcome;
          ended.countDown();
        });
    if (ended.getCount() > 0) {
      IoThread.settle();
      try {
        ended.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw CommandException.of(Sense.of(ErrorCode.TIMEOUT, write));
      }
    }
    if (failure[0] != null) {
      throw CommandException.of(failure[0], write);
    }
  }
}

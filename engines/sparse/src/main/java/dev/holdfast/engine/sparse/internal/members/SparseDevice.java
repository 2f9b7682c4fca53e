package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.IoFlags;
import dev.holdfast.engine.sparse.internal.chain.BlockIndex;
import dev.holdfast.engine.sparse.internal.replica.RequestGate;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/**
 * The open volume as a device. With local members only, reads, writes, trims and zeroes complete on
 * the caller's thread. Exceptions are an overlapping request, the first mark of a region and a
 * decision about the members. Flushes, and the durable half of FUA, complete on another thread.
 */
public final class SparseDevice implements BlockDevice {
  private static final long BLOCK = BlockIndex.BLOCK_SIZE;

  private final String volume;
  private volatile long size;
  private final ReplicaFanout members;
  private final RequestGate gate;
  private final Flusher flusher;
  private final MembershipManager keeper;
  private volatile TrimPreparation preparation;

  public SparseDevice(
      String volume,
      long size,
      ReplicaFanout members,
      RequestGate gate,
      Flusher flusher,
      MembershipManager keeper) {
    this.volume = volume;
    this.size = size;
    this.members = members;
    this.gate = gate;
    this.flusher = flusher;
    this.keeper = keeper;
    members.tell(this::ended);
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int blockSize() {
    return (int) BLOCK;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (!BlockRanges.inside(offset, target.remaining(), size, completion)) {
      return;
    }
    int ticket = gate.enter();
    if (ticket < 0) {
      gate.hold(() -> read(offset, target, completion), completion);
      return;
    }
    members.read(offset, target, ticket, completion);
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    if (!BlockRanges.inside(offset, source.remaining(), size, completion)) {
      return;
    }
    int ticket = gate.enter();
    if (ticket < 0) {
      gate.hold(() -> write(offset, source, flags, completion), completion);
      return;
    }
    members.write(offset, source, flags, ticket, completion);
  }

  @Override
  public void flush(Completion completion) {
    int ticket = gate.enter();
    if (ticket < 0) {
      gate.hold(() -> flush(completion), completion);
      return;
    }
    ended(ticket, completion, null, IoFlags.FUA);
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    if (BlockRanges.inside(offset, length, size, completion)) {
      long first = (offset + BLOCK - 1) / BLOCK * BLOCK;
      long end = (offset + length) / BLOCK * BLOCK;
      trimBlocks(first, Math.max(0, end - first), flags & ~IoFlags.NO_HOLE, completion);
    }
  }

  private void trimBlocks(long offset, long length, int flags, Completion completion) {
    TrimPreparation first = preparation;
    if (length > 0 && first != null && first.isDue()) {
      first.before(() -> zero(offset, length, flags, completion));
    } else {
      zero(offset, length, flags, completion);
    }
  }

  /** Sets the preparation of trims. Called once, before the first request. */
  public void prepareTrims(TrimPreparation first) {
    preparation = first;
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    if (BlockRanges.inside(offset, length, size, completion)) {
      zero(offset, length, flags, completion);
    }
  }

  private void zero(long offset, long length, int flags, Completion completion) {
    int ticket = gate.enter();
    if (ticket < 0) {
      gate.hold(() -> zero(offset, length, flags, completion), completion);
      return;
    }
    members.zero(offset, length, (flags & IoFlags.NO_HOLE) != 0, flags, ticket, completion);
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    if (!BlockRanges.inside(offset, length, size, completion)) {
      return;
    }
    int ticket = gate.enter();
    if (ticket < 0) {
      gate.hold(() -> extents(offset, length, visitor, completion), completion);
      return;
    }
    members.extents(offset, length, visitor, ticket, completion);
  }

  /** Sets the size after all members have grown. */
  public void grow(long newSize) {
    size = newSize;
  }

  // A flush is recorded, and any other request answered, before the request leaves the gate, so
  // that closing waits for the reply. The gate keeps replies that a pending decision holds back.
  private void ended(int ticket, Completion completion, StorageException failure, int flags) {
    try {
      if ((flags & IoFlags.FUA) != 0 && failure == null) {
        boolean first = flusher.note(completion);
        gate.leave(ticket);
        if (first) {
          flusher.start();
        }
      } else {
        answer(ticket, completion, failure);
      }
    } finally {
      // Also when the client's completion throws, because a failed member waits for its decision.
      keeper.settle();
    }
  }

  private void answer(int ticket, Completion completion, StorageException failure) {
    try {
      gate.answer(completion, failure);
    } finally {
      gate.leave(ticket);
    }
  }

  @Override
  public void close() {
    gate.close(ErrorCode.IO, "volume " + volume + " is closed");
    keeper.stop();
    gate.awaitDrained();
    flusher.awaitIdle();
  }
}

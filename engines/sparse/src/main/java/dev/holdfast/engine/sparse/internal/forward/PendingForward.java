package dev.holdfast.engine.sparse.internal.forward;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.IoFlags;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.wire.LinkData;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** An unanswered request and how it is sent: over a link, or to another device. */
final class PendingForward implements MemberCompletion {
  /** The kinds of requests. */
  enum Kind {
    READ,
    WRITE,
    FLUSH,
    TRIM,
    ZERO
  }

  private final ForwardedDevice device;
  private final Kind kind;
  private final long offset;
  private final long length;
  private final int flags;
  private final ByteBuffer buffer;
  private final int position;
  private final Completion completion;

  /** Whether the bytes are written and the request waits only for their durability. */
  private boolean syncing;

  private PendingForward(
      ForwardedDevice device,
      Kind kind,
      long offset,
      long length,
      int flags,
      ByteBuffer buffer,
      Completion completion) {
    this.device = device;
    this.kind = kind;
    this.offset = offset;
    this.length = length;
    this.flags = flags;
    this.buffer = buffer;
    this.position = buffer == null ? 0 : buffer.position();
    this.completion = completion;
  }

  static PendingForward bytes(
      ForwardedDevice device,
      Kind kind,
      long offset,
      ByteBuffer buffer,
      int flags,
      Completion completion) {
    return new PendingForward(device, kind, offset, buffer.remaining(), flags, buffer, completion);
  }

  static PendingForward range(
      ForwardedDevice device,
      Kind kind,
      long offset,
      long length,
      int flags,
      Completion completion) {
    return new PendingForward(device, kind, offset, length, flags, null, completion);
  }

  /** Sends the request from its beginning over a link. */
  void sendOver(LinkData link) {
    syncing = false;
    switch (kind) {
      case READ -> link.readAll(offset, buffer, position, (int) length, this);
      case WRITE -> link.writeAll(offset, buffer, position, (int) length, this);
      case FLUSH -> link.sync(this);
      case TRIM -> trimOver(link);
      case ZERO -> link.zeroAll(offset, length, (flags & IoFlags.NO_HOLE) != 0, this);
    }
  }

  // The partial blocks at both ends keep their content, as on a local device.
  private void trimOver(LinkData link) {
    long block = device.blockSize();
    long first = (offset + block - 1) / block * block;
    long end = (offset + length) / block * block;
    if (first < end) {
      link.zeroAll(first, end - first, false, this);
    } else {
      link.sync(this);
    }
  }

  /** Sends the request to another device, which completes it. */
  void sendTo(BlockDevice other) {
    if (buffer != null) {
      // An earlier attempt may have moved the position.
      buffer.limit(position + (int) length).position(position);
    }
    switch (kind) {
      case READ -> other.read(offset, buffer, completion);
      case WRITE -> other.write(offset, buffer, flags, completion);
      case FLUSH -> other.flush(completion);
      case TRIM -> other.trim(offset, length, flags, completion);
      case ZERO -> other.writeZeroes(offset, length, flags, completion);
    }
  }

  @Override
  public void completed(StorageException failure, long done) {
    boolean durable = (flags & IoFlags.FUA) != 0 && !syncing;
    if (failure == null && durable) {
      syncing = true;
      device.sync(this);
    } else {
      device.answered(this, failure);
    }
  }

  /** Completes the request. */
  void end(StorageException failure) {
    if (failure == null && buffer != null) {
      buffer.position(position + (int) length);
    }
    completion.completed(failure);
  }
}

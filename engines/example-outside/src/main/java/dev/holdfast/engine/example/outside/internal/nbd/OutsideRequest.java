package dev.holdfast.engine.example.outside.internal.nbd;

import dev.holdfast.block.Completion;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.nbd.Wire;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A request to the server, until its reply is complete. Used by one thread at a time. */
final class OutsideRequest {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  /** A part of the range and how the server stores it: bits {@code STATE_…}. */
  record Extent(long length, int state) {}

  private final int command;
  private final int flags;
  private final long offset;
  private final int length;
  private final ByteBuffer bytes;
  private final Completion completion;
  private final List<Extent> extents = new ArrayList<>();
  private long cookie;
  private int error;

  private OutsideRequest(
      int command, int flags, long offset, int length, ByteBuffer bytes, Completion completion) {
    this.command = command;
    this.flags = flags;
    this.offset = offset;
    this.length = length;
    this.bytes = bytes;
    this.completion = completion;
  }

  /** A read or write of all of a buffer, whose position is not changed. */
  static OutsideRequest transfer(
      int command, int flags, long offset, ByteBuffer bytes, Completion completion) {
    return new OutsideRequest(command, flags, offset, bytes.remaining(), bytes, completion);
  }

  /** A request without bytes. */
  static OutsideRequest range(
      int command, int flags, long offset, long length, Completion completion) {
    return new OutsideRequest(command, flags, offset, (int) length, NOTHING, completion);
  }

  long cookie() {
    return cookie;
  }

  /** Gives it a number, and forgets what an earlier connection answered. */
  void begin(long number) {
    cookie = number;
    error = 0;
    extents.clear();
  }

  /** Returns the header of the request. */
  ByteBuffer header() {
    ByteBuffer header = ByteBuffer.allocate(28);
    header.putInt(Wire.REQUEST_MAGIC).putShort((short) flags).putShort((short) command);
    return header.putLong(cookie).putLong(offset).putInt(length).flip();
  }

  /** Returns the bytes that follow the header. */
  ByteBuffer payload() {
    return command == Wire.CMD_WRITE ? bytes.duplicate() : NOTHING.duplicate();
  }

  boolean isRead() {
    return command == Wire.CMD_READ;
  }

  /** The part of the buffer that a reply of a read fills. */
  ByteBuffer target(long at, int count) {
    int from = bytes.position() + (int) (at - offset);
    return bytes.duplicate().limit(from + count).position(from);
  }

  void addExtent(long size, int state) {
    extents.add(new Extent(size, state));
  }

  List<Extent> extents() {
    return extents;
  }

  void failed(int number) {
    error = number;
  }

  /** Completes the request with the result that the server reported. */
  void complete() {
    completion.completed(error == 0 ? null : failure());
  }

  void complete(StorageException failure) {
    completion.completed(failure);
  }

  private StorageException failure() {
    ErrorCode code =
        switch (error) {
          case Wire.ENOSPC -> ErrorCode.NO_SPACE;
          case Wire.EPERM -> ErrorCode.FORBIDDEN;
          case Wire.ENOTSUP -> ErrorCode.UNSUPPORTED;
          default -> ErrorCode.IO;
        };
    return new StorageException(
        code, "the storage daemon reports error " + error + " for command " + command);
  }
}

package dev.holdfast.engine.lvm.internal.forward;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.IoFlags;
import dev.holdfast.engine.lvm.rpc.BlockKind;
import dev.holdfast.engine.lvm.rpc.BlockReply;
import dev.holdfast.engine.lvm.rpc.BlockRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** A request that has no answer yet, and its bytes on this node. Compared by identity. */
final class PendingRequest {
  private final BlockRequest message;
  private final ByteBuffer buffer;
  private final Completion completion;

  /**
   * Keeps a request.
   *
   * @param message without a session
   * @param buffer of a read or a write, used for nothing else until the completion
   */
  PendingRequest(BlockRequest message, ByteBuffer buffer, Completion completion) {
    this.message = message;
    this.buffer = buffer;
    this.completion = completion;
  }

  /** Keeps a request without bytes. */
  static PendingRequest of(BlockRequest message, Completion completion) {
    return new PendingRequest(message, ByteBuffer.allocate(0), completion);
  }

  BlockRequest message() {
    return message;
  }

  Completion completion() {
    return completion;
  }

  /** Completes it with an answer. */
  void end(BlockReply reply, StorageException failure) {
    StorageException outcome = failure;
    if (failure == null && message.getKind() == BlockKind.READ) {
      if (reply.getContent().size() == buffer.remaining()) {
        buffer.put(reply.getContent().asReadOnlyByteBuffer());
      } else {
        outcome =
            new StorageException(
                ErrorCode.INTERNAL,
                "volume "
                    + message.getVolume()
                    + ": "
                    + reply.getContent().size()
                    + " B were read, "
                    + buffer.remaining()
                    + " B requested");
      }
    }
    completion.completed(outcome);
  }

  /** Makes it on another device, which completes it. */
  void sendTo(BlockDevice other) {
    long offset = message.getOffset();
    long length = message.getLength();
    int flags = message.getFua() ? IoFlags.FUA : IoFlags.NONE;
    switch (message.getKind()) {
      case READ -> other.read(offset, buffer, completion);
      case WRITE -> other.write(offset, buffer, flags, completion);
      case FLUSH -> other.flush(completion);
      case TRIM -> other.trim(offset, length, flags, completion);
      case WRITE_ZEROES ->
          other.writeZeroes(
              offset, length, flags | (message.getNoHole() ? IoFlags.NO_HOLE : 0), completion);
      case BLOCK_KIND_UNSPECIFIED, UNRECOGNIZED ->
          throw new IllegalStateException(message.toString());
    }
  }
}

package dev.holdfast.nvme.host.internal;

import dev.holdfast.block.Completion;
import java.nio.ByteBuffer;

/**
 * Converts requests in bytes to commands in blocks within the target's size limit. Changes of parts
 * of blocks first read the blocks; the caller excludes other changes until the end.
 */
public final class AlignedIo {
  private static final int READ = 0x02;
  private static final int WRITE = 0x01;
  private static final int FLUSH = 0x00;
  private static final int WRITE_ZEROES = 0x08;
  private static final int FUA = 1 << 30;
  private static final int DEALLOCATE = 1 << 25;

  /** SPDK accepts 16 MiB. */
  private static final int ZEROES = 1 << 20;

  private final HostAssociation controller;
  private final NamespaceInfo namespace;
  private final int block;

  /** Creates the requests of a namespace. */
  public AlignedIo(HostAssociation controller, NamespaceInfo namespace) {
    this.controller = controller;
    this.namespace = namespace;
    this.block = namespace.blockSize();
  }

  /** Rounds down to a block. */
  public long down(long offset) {
    return offset & -block;
  }

  /** Rounds up to a block. */
  public long up(long offset) {
    return down(offset + block - 1);
  }

  /** Returns whether a range consists of whole blocks. */
  public boolean isAligned(long offset, long length) {
    return ((offset | length) & (block - 1)) == 0;
  }

  private NvmeCommand command(int opcode, Completion completion) {
    return new NvmeCommand(
            opcode,
            (status, result, failure) ->
                completion.completed(failure == null ? controller.failure("I/O", status) : failure))
        .namespace(namespace.id());
  }

  /** Reads all remaining bytes of the buffer. */
  public void read(long offset, ByteBuffer target, Completion completion) {
    int length = target.remaining();
    if (isAligned(offset, length)) {
      readBlocks(offset, target, completion);
      return;
    }
    long start = down(offset);
    ByteBuffer cover = ByteBuffer.allocateDirect((int) (up(offset + length) - start));
    readBlocks(
        start,
        cover,
        failure -> {
          if (failure == null) {
            target.put(cover.slice((int) (offset - start), length));
          }
          completion.completed(failure);
        });
  }

  private void readBlocks(long offset, ByteBuffer target, Completion completion) {
    transfer(READ, 0, offset, target, completion, (command, piece) -> command.receiving(piece));
  }

  /** Writes all remaining bytes of the buffer. */
  public void write(long offset, ByteBuffer source, boolean fua, Completion completion) {
    int length = source.remaining();
    if (isAligned(offset, length)) {
      writeBlocks(offset, source, fua, completion);
      return;
    }
    long start = down(offset);
    long end = up(offset + length);
    ByteBuffer cover = ByteBuffer.allocateDirect((int) (end - start));
    int position = source.position();
    Completion edgesRead =
        failure -> {
          if (failure == null) {
            cover.clear().position((int) (offset - start));
            cover.put(source.duplicate());
            writeBlocks(start, cover.clear(), fua, wholeWritten(source, position, completion));
          } else {
            completion.completed(failure);
          }
        };
    readEdges(offset, length, cover, edgesRead);
  }

  private static Completion wholeWritten(ByteBuffer source, int from, Completion completion) {
    return failure -> {
      if (failure == null && source.position() == from) {
        source.position(source.limit());
      }
      completion.completed(failure);
    };
  }

  private void readEdges(long offset, int length, ByteBuffer cover, Completion completion) {
    long start = down(offset);
    long last = down(offset + length - 1);
    boolean first = offset != start || length < block;
    boolean second = last != start && up(offset + length) != offset + length;
    Parts parts = new Parts((first ? 1 : 0) + (second ? 1 : 0), completion);
    if (first) {
      readBlocks(start, cover.slice(0, block), parts);
    }
    if (second) {
      readBlocks(last, cover.slice((int) (last - start), block), parts);
    }
  }

  private void writeBlocks(long offset, ByteBuffer source, boolean fua, Completion completion) {
    transfer(
        WRITE,
        fua ? FUA : 0,
        offset,
        source,
        completion,
        (command, piece) -> command.sending(piece));
  }

  /** Sets the data of a command. */
  private interface Data {
    NvmeCommand of(NvmeCommand command, ByteBuffer piece);
  }

  private void transfer(
      int opcode, int flags, long offset, ByteBuffer data, Completion completion, Data direction) {
    int length = data.remaining();
    int most = Math.max(block, controller.maxTransfer() / block * block);
    int count = (length + most - 1) / most;
    if (count == 0) {
      completion.completed(null);
      return;
    }
    int position = data.position();
    Completion whole =
        failure -> {
          if (failure == null) {
            data.position(position + length);
          }
          completion.completed(failure);
        };
    Completion each = count == 1 ? whole : new Parts(count, whole);
    for (int done = 0; done < length; done += most) {
      int bytes = Math.min(most, length - done);
      NvmeCommand command = command(opcode, each).range((offset + done) / block, bytes / block);
      controller.submit(direction.of(command.or(12, flags), data.slice(position + done, bytes)));
    }
  }

  /** Flushes. */
  public void flush(Completion completion) {
    controller.submit(command(FLUSH, completion));
  }

  /**
   * Zeroes whole blocks. The deallocate bit is sent only to namespaces that support it, because
   * SPDK refuses a command with it.
   */
  public void zero(long start, long end, boolean deallocate, boolean fua, Completion completion) {
    int count = (int) ((end - start + ZEROES - 1) / ZEROES);
    if (count == 0) {
      completion.completed(null);
      return;
    }
    boolean frees = deallocate && namespace.zeroesDeallocate();
    int flags = (frees ? DEALLOCATE : 0) | (fua ? FUA : 0);
    Parts parts = new Parts(count, completion);
    for (long at = start; at < end; at += ZEROES) {
      int blocks = (int) (Math.min(ZEROES, end - at) / block);
      controller.submit(command(WRITE_ZEROES, parts).range(at / block, blocks).or(12, flags));
    }
  }

  /** Zeroes bytes. */
  public void zeroBytes(
      long offset, long length, boolean deallocate, boolean fua, Completion completion) {
    long end = offset + length;
    long start = up(offset);
    long stop = down(end);
    if (start >= stop) {
      write(offset, ByteBuffer.allocateDirect((int) length), fua, completion);
      return;
    }
    Parts parts = new Parts(3, completion);
    write(offset, ByteBuffer.allocateDirect((int) (start - offset)), fua, parts);
    zero(start, stop, deallocate, fua, parts);
    write(stop, ByteBuffer.allocateDirect((int) (end - stop)), fua, parts);
  }
}

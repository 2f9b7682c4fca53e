package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.chain.BlockIndex;
import dev.holdfast.engine.sparse.internal.disk.Zeroes;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/**
 * Writes a change to the target of a rebuild in whole blocks. The layers below the target's head do
 * not have the volume's content yet, so the rest of a partly changed block is read from a member.
 * No other thread changes these blocks until it ends. Blocks.
 */
final class PartialBlockWriter {
  private static final int BLOCK = BlockIndex.BLOCK_SIZE;

  private final MemberSet team;
  private final Member target;
  private final long offset;
  private final long end;
  private final ByteBuffer content;
  private final boolean allocated;

  /**
   * Prepares a change.
   *
   * @param content bytes to write, null for zeroes
   * @param allocated for zeroes: whether they stay allocated
   */
  PartialBlockWriter(
      MemberSet team,
      Member target,
      long offset,
      long length,
      ByteBuffer content,
      boolean allocated) {
    this.team = team;
    this.target = target;
    this.offset = offset;
    this.end = offset + length;
    this.content = content;
    this.allocated = allocated;
  }

  /** Returns whether a change starts or ends within a block. */
  static boolean needed(long offset, long length) {
    return (offset | length) % BLOCK != 0;
  }

  void write() throws StorageException {
    long first = (offset + BLOCK - 1) / BLOCK * BLOCK;
    long last = end / BLOCK * BLOCK;
    if (offset < first) {
      edge(first - BLOCK);
    }
    if (first < last) {
      whole(first, last);
    }
    if (last < end && last >= first) {
      edge(last);
    }
  }

  private void whole(long from, long to) throws StorageException {
    if (content == null) {
      BlockingMemberIo.zero(target, from, to - from, allocated);
    } else {
      BlockingMemberIo.write(target, from, part(from, to));
    }
  }

  private void edge(long block) throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(BLOCK);
    read(block, bytes);
    long from = Math.max(offset, block);
    long to = Math.min(end, block + BLOCK);
    bytes.position((int) (from - block));
    if (content == null) {
      Zeroes.fill(bytes.limit((int) (to - block)));
    } else {
      bytes.put(part(from, to));
    }
    BlockingMemberIo.write(target, block, bytes.clear());
  }

  private ByteBuffer part(long from, long to) {
    return content.slice((int) (from - offset), (int) (to - from));
  }

  private void read(long block, ByteBuffer bytes) throws StorageException {
    for (int attempt = 0; ; attempt++) {
      try {
        BlockingMemberIo.read(team.reader(block, attempt), block, bytes.clear());
        return;
      } catch (StorageException e) {
        if (attempt + 1 == team.readers()) {
          throw e;
        }
      }
    }
  }
}

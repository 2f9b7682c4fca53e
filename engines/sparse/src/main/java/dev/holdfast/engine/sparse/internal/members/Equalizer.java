package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.chain.BlockIndex;
import dev.holdfast.engine.sparse.internal.disk.Zeroes;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Makes ranges of replicas equal to those of one of them. Writes only what differs, and leaves
 * holes where the content is zero, so that it needs no space for blocks that the target has.
 */
public final class Equalizer {
  private static final int PIECE = 1 << 20;
  private static final int BLOCK = BlockIndex.BLOCK_SIZE;

  private final ByteBuffer wanted = ByteBuffer.allocateDirect(PIECE);
  private final ByteBuffer found = ByteBuffer.allocateDirect(PIECE);

  /** Returns whether a member can read all of a range. */
  boolean readable(Member member, long offset, long length) {
    try {
      for (long at = offset; at < offset + length; at += wanted.capacity()) {
        int piece = (int) Math.min(wanted.capacity(), offset + length - at);
        Awaited.read(member, at, wanted.clear().limit(piece));
      }
      return true;
    } catch (StorageException e) {
      return false;
    }
  }

  /** Makes a range of the target like that of the source. Nobody may write it meanwhile. */
  void copy(Member source, Member target, long offset, long length) throws StorageException {
    for (long at = offset; at < offset + length; at += wanted.capacity()) {
      int piece = (int) Math.min(wanted.capacity(), offset + length - at);
      Awaited.read(source, at, wanted.clear().limit(piece));
      Awaited.read(target, at, found.clear().limit(piece));
      if (!wanted.flip().equals(found.flip())) {
        copyBlocks(target, at, piece);
      }
    }
  }

  /** Makes a range of all targets like that of the source. */
  public void copy(Member source, List<Member> targets, long offset, long length)
      throws StorageException {
    for (Member target : targets) {
      copy(source, target, offset, length);
    }
  }

  private void copyBlocks(Member target, long offset, int length) throws StorageException {
    for (int at = 0; at < length; ) {
      int end = Math.min(length, at + BLOCK - (int) ((offset + at) % BLOCK));
      wanted.limit(end).position(at);
      found.limit(end).position(at);
      if (!wanted.equals(found)) {
        if (Zeroes.only(wanted)) {
          Awaited.zero(target, offset + at, end - at, false);
        } else {
          Awaited.write(target, offset + at, wanted);
        }
      }
      at = end;
    }
  }
}

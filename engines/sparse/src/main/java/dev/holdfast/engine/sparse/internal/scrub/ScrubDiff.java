package dev.holdfast.engine.sparse.internal.scrub;

import com.google.protobuf.ByteString;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.engine.sparse.internal.chain.BlockIndex;
import dev.holdfast.engine.sparse.internal.disk.Zeroes;
import dev.holdfast.engine.sparse.internal.volume.LayerAccess;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.BitSet;

/** Finds, block by block, where a part of a layer differs between two replicas. */
final class ScrubDiff {
  private static final int BLOCK = BlockIndex.BLOCK_SIZE;
  private static final int PIECE = 1 << 20;

  /** Receives adjacent blocks that differ, in ascending order. */
  interface Visitor {
    /** Receives the right content of some blocks. */
    void content(long offset, ByteString right) throws StorageException;

    /** Receives blocks that this layer must not hold. */
    void hole(long offset, long length) throws StorageException;
  }

  private enum Kind {
    SAME,
    CONTENT,
    HOLE
  }

  private final ScrubRange part;
  private final LayerAccess right;
  private final LayerAccess wrong;

  /**
   * Prepares a comparison.
   *
   * @param right replica with the right content
   * @param wrong the other replica; its unreadable blocks count as different
   */
  ScrubDiff(ScrubRange part, LayerAccess right, LayerAccess wrong) {
    this.part = part;
    this.right = right;
    this.wrong = wrong;
  }

  void visit(Visitor visitor) throws StorageException {
    BitSet mine = blocks(right);
    BitSet theirs = blocks(wrong);
    for (long at = 0; at < part.length(); at += PIECE) {
      int length = (int) Math.min(PIECE, part.length() - at);
      int first = (int) (at / BLOCK);
      int end = first + (length + BLOCK - 1) / BLOCK;
      if (any(mine, first, end) || any(theirs, first, end)) {
        visitPiece(
            part.offset() + at, length, mine.get(first, end), theirs.get(first, end), visitor);
      }
    }
  }

  private static boolean any(BitSet blocks, int first, int end) {
    int next = blocks.nextSetBit(first);
    return next >= 0 && next < end;
  }

  private BitSet blocks(LayerAccess replica) throws StorageException {
    BitSet blocks = new BitSet();
    replica.extents(
        part.image(),
        part.offset(),
        part.length(),
        (at, count, kind) -> {
          if (kind == ExtentKind.DATA) {
            long first = (at - part.offset()) / BLOCK;
            long end = (at + count - part.offset() + BLOCK - 1) / BLOCK;
            blocks.set((int) first, (int) end);
          }
          return true;
        });
    return blocks;
  }

  private void visitPiece(long offset, int length, BitSet mine, BitSet theirs, Visitor visitor)
      throws StorageException {
    ByteString good = right.read(part.image(), offset, length);
    ByteString bad = readable(offset, length);
    for (int at = 0; at < length; ) {
      Kind kind = kind(at, good, bad, mine, theirs);
      int end = Math.min(length, at + BLOCK);
      while (end < length && kind(end, good, bad, mine, theirs) == kind) {
        end = Math.min(length, end + BLOCK);
      }
      switch (kind) {
        case SAME -> {}
        case CONTENT -> visitor.content(offset + at, good.substring(at, end));
        case HOLE -> visitor.hole(offset + at, end - at);
      }
      at = end;
    }
  }

  // Unreadable blocks count as different.
  private ByteString readable(long offset, int length) throws StorageException {
    try {
      return wrong.read(part.image(), offset, length);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.IO) {
        throw e;
      }
      return ByteString.EMPTY;
    }
  }

  private Kind kind(int at, ByteString good, ByteString bad, BitSet mine, BitSet theirs) {
    int end = Math.min(good.size(), at + BLOCK);
    ByteString wanted = good.substring(at, end);
    boolean there = mine.get(at / BLOCK) && !nothing(wanted);
    boolean known = !bad.isEmpty();
    ByteString found = known ? bad.substring(at, end) : ByteString.EMPTY;
    boolean thereToo = theirs.get(at / BLOCK) && !(known && nothing(found));
    if (there) {
      return thereToo && wanted.equals(found) ? Kind.SAME : Kind.CONTENT;
    }
    return thereToo ? Kind.HOLE : Kind.SAME;
  }

  private boolean nothing(ByteString content) {
    return part.lowest() && Zeroes.only(content.asReadOnlyByteBuffer());
  }
}

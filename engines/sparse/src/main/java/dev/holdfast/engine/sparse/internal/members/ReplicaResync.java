package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.chain.BlockIndex;
import dev.holdfast.engine.sparse.internal.disk.Zeroes;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Makes ranges of replicas equal to those of one replica. Writes only differences, and leaves holes
 * where the content is zero, so that it needs no space for blocks that the target has.
 */
public final class ReplicaResync {
  private static final int PIECE = 1 << 20;
  private static final int BLOCK = BlockIndex.BLOCK_SIZE;

  private final ByteBuffer wanted = ByteBuffer.allocateDirect(PIECE);
  private final ByteBuffer found = ByteBuffer.allocateDirect(PIECE);

  /** Returns whether a member can read a whole range. */
  boolean readable(Member member, long offset, long length) {
    try {
      for (long at = offset; at < offset + length; at += wanted.capacity()) {
        int piece = (int) Math.min(wanted.capacity(), offset + length - at);
        BlockingMemberIo.read(member, at, wanted.clear().limit(piece));
      }
      return true;
    } catch (StorageException e) {
      return false;
    }
  }

  /**
   * Makes a range of the target equal to the source's, while no request writes there.
   *
   * @return the failed replica with the cause, empty when both are equal now
   */
  Optional<MemberFailure> copy(Member source, Member target, long offset, long length) {
    for (long at = offset; at < offset + length; at += wanted.capacity()) {
      int piece = (int) Math.min(wanted.capacity(), offset + length - at);
      try {
        BlockingMemberIo.read(source, at, wanted.clear().limit(piece));
      } catch (StorageException e) {
        return Optional.of(new MemberFailure(source, e, 0));
      }
      try {
        BlockingMemberIo.read(target, at, found.clear().limit(piece));
        if (!wanted.flip().equals(found.flip())) {
          copyBlocks(target, at, piece);
        }
      } catch (StorageException e) {
        return Optional.of(new MemberFailure(target, e, 0));
      }
    }
    return Optional.empty();
  }

  /**
   * Makes a range of all targets equal to the source's.
   *
   * @return the first failure, empty when all are equal now
   */
  public Optional<MemberFailure> copy(
      Member source, List<Member> targets, long offset, long length) {
    for (Member target : targets) {
      Optional<MemberFailure> failed = copy(source, target, offset, length);
      if (failed.isPresent()) {
        return failed;
      }
    }
    return Optional.empty();
  }

  private void copyBlocks(Member target, long offset, int length) throws StorageException {
    for (int at = 0; at < length; ) {
      int end = Math.min(length, at + BLOCK - (int) ((offset + at) % BLOCK));
      wanted.limit(end).position(at);
      found.limit(end).position(at);
      if (!wanted.equals(found)) {
        if (Zeroes.only(wanted)) {
          BlockingMemberIo.zero(target, offset + at, end - at, false);
        } else {
          BlockingMemberIo.write(target, offset + at, wanted);
        }
      }
      at = end;
    }
  }
}

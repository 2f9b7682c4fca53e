package dev.holdfast.engine.example.memory.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.BitSet;

/** Pages of a replica over those of its base. Both complete requests before their calls return. */
final class BasedMemoryDevice extends ForwardingBlockDevice {
  private static final int PAGE = 4096;

  private final BlockDevice own;
  private final BlockDevice base;
  // Pages that the replica has itself, zeroes included; its lock orders all requests.
  private final BitSet pages;
  private final boolean trimsHide;

  BasedMemoryDevice(BlockDevice own, BlockDevice base, BitSet pages, boolean trimsHide) {
    super(own);
    this.own = own;
    this.base = base;
    this.pages = pages;
    this.trimsHide = trimsHide;
  }

  private BlockDevice holder(long page) {
    return pages.get((int) page) || page * PAGE >= base.size() ? own : base;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (!BlockRanges.inside(offset, target.remaining(), size(), completion)) {
      return;
    }
    int limit = target.limit();
    StorageException[] failure = {null};
    synchronized (pages) {
      for (long at = offset; failure[0] == null && target.position() < limit; ) {
        int count = (int) Math.min(PAGE - at % PAGE, limit - target.position());
        target.limit(target.position() + count);
        holder(at / PAGE).read(at, target, told -> failure[0] = told);
        target.limit(limit);
        at += count;
      }
    }
    completion.completed(failure[0]);
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    synchronized (pages) {
      own(offset, source.remaining());
      super.write(offset, source, flags, completion);
    }
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    writeZeroes(offset, length, flags, completion);
    if (!trimsHide) {
      pages.clear((int) (offset / PAGE), (int) ((offset + length) / PAGE));
    }
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    synchronized (pages) {
      own(offset, length);
      super.writeZeroes(offset, length, flags, completion);
    }
  }

  // The replica gets the pages of a range that is inside the device, edges with their content.
  private void own(long offset, long length) {
    if (length <= 0 || offset < 0 || offset > size() - length) {
      return;
    }
    copyUp(offset / PAGE);
    copyUp((offset + length - 1) / PAGE);
    pages.set((int) (offset / PAGE), (int) ((offset + length - 1) / PAGE) + 1);
  }

  private void copyUp(long page) {
    if (holder(page) == base) {
      ByteBuffer content = ByteBuffer.allocateDirect(PAGE);
      base.read(page * PAGE, content, failure -> {});
      super.write(page * PAGE, content.flip(), 0, failure -> {});
      pages.set((int) page);
    }
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    if (!BlockRanges.inside(offset, length, size(), completion)) {
      return;
    }
    boolean[] more = {true};
    for (long at = offset; more[0] && at < offset + length; ) {
      long count = Math.min(PAGE - at % PAGE, offset + length - at);
      ExtentVisitor page =
          (from, bytes, kind) -> {
            boolean zeroes = kind == ExtentKind.HOLE;
            more[0] = visitor.extent(from, bytes, zeroes ? ExtentKind.HOLE : ExtentKind.DATA);
            return more[0];
          };
      holder(at / PAGE).extents(at, count, page, failure -> {});
      at += count;
    }
    completion.completed(null);
  }
}

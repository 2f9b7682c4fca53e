package dev.holdfast.engine.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;

/** An opening of a replica in memory. The disk checks its number at each request. */
final class SharedMemoryVolume implements OpenVolume, BlockDevice {
  private static final int PAGE = SharedMemory.Stored.PAGE;

  private final SharedMemory memory;
  private final ReplicaLocation location;
  private final SharedMemory.Stored replica;
  private final String node;
  private final EngineListener listener;
  private final long opening;
  private StorageException ended;

  SharedMemoryVolume(
      SharedMemory memory,
      ReplicaLocation location,
      SharedMemory.Stored replica,
      String node,
      EngineListener listener) {
    this.memory = memory;
    this.location = location;
    this.replica = replica;
    this.node = node;
    this.listener = listener;
    this.opening = replica.opening;
  }

  ReplicaLocation location() {
    return location;
  }

  boolean isOf(SharedMemory.Stored other) {
    return replica == other;
  }

  boolean isOpen() {
    return ended == null;
  }

  /** Ends it because its engine opened the volume again. */
  void supersede() {
    if (ended == null) {
      ended = new StorageException(ErrorCode.FORBIDDEN, location.volume() + " was taken over");
      listener.failed(ended);
    }
  }

  /** Ends it without any effect on the disk. */
  void kill() {
    synchronized (memory) {
      ended = new StorageException(ErrorCode.IO, location.volume() + ": its engine was killed");
    }
  }

  private interface PageAction {
    void run(long page, int from, int length);
  }

  private void run(long offset, long length, Completion completion, PageAction action) {
    if (BlockRanges.inside(offset, length, replica.size, completion)) {
      StorageException failure;
      synchronized (memory) {
        failure = fault();
        for (long at = offset; failure == null && at < offset + length; ) {
          int from = (int) (at % PAGE);
          int count = (int) Math.min(PAGE - from, offset + length - at);
          action.run(at / PAGE, from, count);
          at += count;
        }
      }
      completion.completed(failure);
    }
  }

  private StorageException fault() {
    if (ended == null && replica.opening != opening) {
      ended =
          new StorageException(
              ErrorCode.FORBIDDEN,
              location.replica() + ": its lock was taken by node " + replica.holder);
    }
    return ended;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    PageAction copy =
        (page, from, n) -> target.put(replica.pages.getOrDefault(page, new byte[PAGE]), from, n);
    run(offset, target.remaining(), completion, copy);
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    PageAction copy =
        (page, from, n) ->
            source.get(replica.pages.computeIfAbsent(page, p -> new byte[PAGE]), from, n);
    run(offset, source.remaining(), completion, copy);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    PageAction clear =
        (page, from, n) ->
            replica.pages.computeIfPresent(
                page,
                (p, content) -> {
                  Arrays.fill(content, from, from + n, (byte) 0);
                  return n == PAGE ? null : content;
                });
    run(offset, length, completion, clear);
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    writeZeroes(offset, length, flags, completion);
  }

  @Override
  public void flush(Completion completion) {
    run(0, 0, completion, (page, from, n) -> {});
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    boolean[] more = {true};
    PageAction visit =
        (page, from, n) -> {
          ExtentKind kind = replica.pages.containsKey(page) ? ExtentKind.DATA : ExtentKind.HOLE;
          more[0] = more[0] && visitor.extent(page * PAGE + from, n, kind);
        };
    run(offset, length, completion, visit);
  }

  @Override
  public BlockDevice device() {
    return this;
  }

  @Override
  public Map<String, MemberMode> replicas() {
    return Map.of(location.replica(), MemberMode.RW);
  }

  @Override
  public long size() {
    return replica.size;
  }

  @Override
  public int blockSize() {
    return PAGE;
  }

  @Override
  public void close() {
    synchronized (memory) {
      boolean mine = ended == null && replica.opening == opening && replica.holder.equals(node);
      if (mine) {
        replica.holder = "";
        replica.clean = true;
      }
      if (ended == null) {
        ended = new StorageException(ErrorCode.IO, location.volume() + " is closed");
      }
    }
  }
}

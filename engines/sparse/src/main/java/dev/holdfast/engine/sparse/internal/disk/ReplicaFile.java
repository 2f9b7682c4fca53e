package dev.holdfast.engine.sparse.internal.disk;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One file of a replica. The engine accesses all its bytes through this interface, so that tests
 * can substitute a disk that loses unsynced data. Thread-safe; {@link #close} must be the last
 * call.
 */
public interface ReplicaFile extends Closeable {

  /** Returns the length of the file in bytes. */
  long size() throws IOException;

  /** Fills the buffer from a position; bytes behind the end read as zeroes. */
  void read(ByteBuffer target, long position) throws IOException;

  /**
   * Fills the buffer from a position without waiting for a disk. Returns false when it would wait
   * or the kernel does not support this; the buffer's remaining bytes are undefined then.
   */
  boolean readNow(ByteBuffer target, long position) throws IOException;

  /** Returns whether {@link #readNow} returns false only for data that is not in the page cache. */
  boolean tellsCached();

  /**
   * Writes the buffer. After a failure, the buffer's position shows how many bytes were certainly
   * written.
   */
  void write(ByteBuffer source, long position) throws IOException;

  /** Makes exactly this range read as zeroes, and frees its whole blocks. */
  void punch(long position, long length) throws IOException;

  /** Makes exactly this range read as zeroes, and keeps or makes it allocated. */
  void zero(long position, long length) throws IOException;

  /** Returns the first allocated position at or after the given one, -1 when none follows. */
  long nextData(long position) throws IOException;

  /** Returns the first position in a hole at or after the given one; the end counts as a hole. */
  long nextHole(long position) throws IOException;

  /**
   * Reports a range that {@link #nextData} treats as a hole: allocated parts without data as {@link
   * ExtentKind#ZERO}, other parts as holes.
   *
   * @return whether the visitor wants more
   */
  default boolean visitHole(long position, long end, ExtentVisitor visitor) {
    return position >= end || visitor.extent(position, end - position, ExtentKind.HOLE);
  }

  /** Extends the file to this length by a hole at its end; does not change a longer file. */
  void grow(long size) throws IOException;

  /** Makes completed writes durable. After a failure the content of the disk is unknown. */
  void sync() throws IOException;

  @Override
  void close() throws IOException;
}

package dev.holdfast.engine.sparse.internal.disk;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One file of a replica. All the engine's bytes pass through this interface, so that tests can put
 * a disk underneath that loses what was not synced. Thread-safe; {@link #close} comes last.
 */
public interface ReplicaFile extends Closeable {

  /** Returns the length of the file in bytes. */
  long size() throws IOException;

  /** Fills the buffer from a position; what lies past the end reads as zeroes. */
  void read(ByteBuffer target, long position) throws IOException;

  /**
   * Fills the buffer from a position if no disk delays it. Returns false when it would wait or the
   * kernel does not support this; the buffer's remaining bytes are undefined then.
   */
  boolean readNow(ByteBuffer target, long position) throws IOException;

  /** Returns whether {@link #readNow} fails only for what has to be read from the disk. */
  boolean tellsCached();

  /**
   * Writes the buffer. When it fails, the buffer's position shows how much was certainly written.
   */
  void write(ByteBuffer source, long position) throws IOException;

  /** Makes a range read as zeroes, exactly, and gives whole blocks back to the file system. */
  void punch(long position, long length) throws IOException;

  /** Makes a range read as zeroes, exactly, and keeps or makes it allocated. */
  void zero(long position, long length) throws IOException;

  /** Returns the first allocated position at or after the given one, -1 when there is none. */
  long nextData(long position) throws IOException;

  /** Returns the first position in a hole at or after the given one; the end counts as a hole. */
  long nextHole(long position) throws IOException;

  /**
   * Reports a range that is a hole for {@link #nextData}: parts that are allocated and hold no data
   * as {@link ExtentKind#ZERO}, the others as holes.
   *
   * @return whether the visitor wants more
   */
  default boolean visitHole(long position, long end, ExtentVisitor visitor) {
    return position >= end || visitor.extent(position, end - position, ExtentKind.HOLE);
  }

  /** Makes the file this long, by a hole at its end; one that is longer stays as it is. */
  void grow(long size) throws IOException;

  /** Makes completed writes durable. After a failure the content of the disk stays unknown. */
  void sync() throws IOException;

  @Override
  void close() throws IOException;
}

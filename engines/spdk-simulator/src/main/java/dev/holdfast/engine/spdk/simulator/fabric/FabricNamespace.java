package dev.holdfast.engine.spdk.simulator.fabric;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;

/** A namespace as one connection reaches it. Thread-safe; its methods block. */
public interface FabricNamespace {
  /** Returns its number in the subsystem. */
  int id();

  /** Returns its UUID, never null. */
  UUID uuid();

  /** Returns its NGUID as 32 hexadecimal digits, never null. */
  String nguid();

  /** Returns the bytes of a block. */
  int blockSize();

  /** Returns its size in blocks. */
  long blocks();

  /**
   * Reads.
   *
   * @param offset in bytes, a multiple of the block size
   * @param target receives all its remaining bytes, not null
   * @throws FabricException when the path forbids it, see {@link FabricException#status}
   * @throws IOException when the connection is lost or the device fails
   */
  void read(long offset, ByteBuffer target) throws IOException;

  /**
   * Writes. Nothing is durable: a flush of a logical volume does nothing in SPDK.
   *
   * @param offset in bytes, a multiple of the block size
   * @param source holds the bytes, not null
   * @throws FabricException when the path forbids it
   * @throws IOException when the connection is lost or the device fails
   */
  void write(long offset, ByteBuffer source) throws IOException;

  /**
   * Sends a flush. SPDK does nothing for a logical volume or a mirror.
   *
   * @throws FabricException when the path forbids it
   * @throws IOException when the connection is lost
   */
  void flush() throws IOException;

  /**
   * Makes a range read as zeroes.
   *
   * @param offset in bytes, a multiple of the block size
   * @param length in bytes, a multiple of the block size
   * @throws FabricException when the path forbids it
   * @throws IOException when the connection is lost or the device fails
   */
  void zero(long offset, long length) throws IOException;
}

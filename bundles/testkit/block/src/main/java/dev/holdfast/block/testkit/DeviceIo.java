package dev.holdfast.block.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** Blocking calls of a device, for tests. */
public final class DeviceIo {
  private final BlockDevice device;

  /**
   * Creates the calls.
   *
   * @param device to call, not null
   */
  public DeviceIo(BlockDevice device) {
    this.device = device;
  }

  /**
   * Reads.
   *
   * @param offset first byte
   * @param length in bytes
   * @return the bytes, never null
   * @throws StorageException when the device fails the request
   */
  public byte[] read(long offset, int length) throws StorageException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(length);
    Outcome outcome = new Outcome();
    device.read(offset, buffer, outcome);
    outcome.get();
    byte[] content = new byte[length];
    buffer.flip().get(content);
    return content;
  }

  /**
   * Writes.
   *
   * @param offset first byte
   * @param content the bytes, not null
   * @throws StorageException when the device fails the request
   */
  public void write(long offset, byte[] content) throws StorageException {
    write(offset, content, IoFlags.NONE);
  }

  /**
   * Writes with flags.
   *
   * @param offset first byte
   * @param content the bytes, not null
   * @param flags of {@link IoFlags}
   * @throws StorageException when the device fails the request
   */
  public void write(long offset, byte[] content, int flags) throws StorageException {
    Outcome outcome = new Outcome();
    device.write(offset, direct(content), flags, outcome);
    outcome.get();
  }

  /**
   * Flushes.
   *
   * @throws StorageException when the device fails the request
   */
  public void flush() throws StorageException {
    Outcome outcome = new Outcome();
    device.flush(outcome);
    outcome.get();
  }

  /**
   * Trims.
   *
   * @param offset first byte
   * @param length in bytes
   * @throws StorageException when the device fails the request
   */
  public void trim(long offset, long length) throws StorageException {
    Outcome outcome = new Outcome();
    device.trim(offset, length, IoFlags.NONE, outcome);
    outcome.get();
  }

  /**
   * Zeroes.
   *
   * @param offset first byte
   * @param length in bytes
   * @param flags of {@link IoFlags}
   * @throws StorageException when the device fails the request
   */
  public void zero(long offset, long length, int flags) throws StorageException {
    Outcome outcome = new Outcome();
    device.writeZeroes(offset, length, flags, outcome);
    outcome.get();
  }

  /**
   * Copies bytes into a direct buffer, ready to be written.
   *
   * @param content not null
   * @return the buffer, never null
   */
  public static ByteBuffer direct(byte[] content) {
    return ByteBuffer.allocateDirect(content.length).put(content).flip();
  }
}

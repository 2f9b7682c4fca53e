package dev.holdfast.engine.lvm.internal.device;

import java.io.IOException;

/**
 * Makes ranges of a device read as zeroes: whole blocks of its pool are discarded, where the device
 * can do that, and zeroes are written elsewhere.
 */
final class ZeroRanges {
  /** Block of a thin pool, as LVM makes it; a pool gives only whole ones up. */
  private static final long GRAIN = 64 << 10;

  private final AlignedBuffers buffers;

  ZeroRanges(AlignedBuffers buffers) {
    this.buffers = buffers;
  }

  /**
   * Zeroes a range.
   *
   * @param first byte, a multiple of 4096
   * @param end behind the last byte, a multiple of 4096; nothing is done when it is not larger
   * @param holes whether space may be given up
   */
  void write(RawDevice device, long first, long end, boolean holes) throws IOException {
    long from = (first + GRAIN - 1) / GRAIN * GRAIN;
    long to = end / GRAIN * GRAIN;
    if (holes && from < to && device.discard(from, to - from)) {
      fill(device, first, from);
      fill(device, to, end);
    } else {
      fill(device, first, end);
    }
  }

  private void fill(RawDevice device, long first, long end) throws IOException {
    for (long at = first; at < end; at += AlignedBuffers.SIZE) {
      device.write(at, buffers.zeroes((int) Math.min(AlignedBuffers.SIZE, end - at)));
    }
  }
}

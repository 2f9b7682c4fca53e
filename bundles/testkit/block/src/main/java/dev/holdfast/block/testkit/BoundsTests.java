package dev.holdfast.block.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoFlags;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests outside of the device fail with INVALID and have no effect; empty requests succeed. */
abstract class BoundsTests extends DeviceTests {
  BoundsTests(BlockDeviceFactory factory) {
    super(factory);
  }

  @ParameterizedTest
  @CsvSource({"-1,1", "-4096,8192", "8400896,1", "8400895,2", "9223372036854775807,1"})
  final void requestsOutsideAreRefusedWithoutEffect(long offset, int length)
      throws StorageException {
    io.write(SIZE - 4096L, bytes(4096));
    byte[] before = io.read(0, SIZE);
    Outcome read = new Outcome();
    device.read(offset, ByteBuffer.allocateDirect(length), read);
    assertThat(read.failure()).isEqualTo(ErrorCode.INVALID);
    Outcome write = new Outcome();
    device.write(offset, DeviceIo.direct(bytes(length)), IoFlags.NONE, write);
    assertThat(write.failure()).isEqualTo(ErrorCode.INVALID);
    Outcome trim = new Outcome();
    device.trim(offset, length, IoFlags.NONE, trim);
    assertThat(trim.failure()).isEqualTo(ErrorCode.INVALID);
    Outcome zero = new Outcome();
    device.writeZeroes(offset, length, IoFlags.NONE, zero);
    assertThat(zero.failure()).isEqualTo(ErrorCode.INVALID);
    Outcome extents = new Outcome();
    device.extents(offset, length, (at, size, kind) -> true, extents);
    assertThat(extents.failure()).isEqualTo(ErrorCode.INVALID);
    assertContent(io.read(0, SIZE), before);
  }

  @Test
  final void lengthsThatOverflowOrAreNegativeAreRefused() {
    for (long length : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      Outcome trim = new Outcome();
      device.trim(4096, length, IoFlags.NONE, trim);
      assertThat(trim.failure()).isEqualTo(ErrorCode.INVALID);
      Outcome zero = new Outcome();
      device.writeZeroes(4096, length, IoFlags.NONE, zero);
      assertThat(zero.failure()).isEqualTo(ErrorCode.INVALID);
    }
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "4096", "8400896"})
  final void emptyRequestsSucceedUpToTheEnd(long offset) throws StorageException {
    byte[] content = bytes(SIZE);
    io.write(0, content);
    assertThat(io.read(offset, 0)).isEmpty();
    io.write(offset, new byte[0]);
    io.write(offset, new byte[0], IoFlags.FUA);
    io.trim(offset, 0);
    for (int flags : new int[] {IoFlags.NONE, IoFlags.NO_HOLE, IoFlags.FUA}) {
      io.zero(offset, 0, flags);
    }
    Outcome extents = new Outcome();
    device.extents(
        offset,
        0,
        (at, length, kind) -> {
          throw new AssertionError("an empty range has no extents");
        },
        extents);
    extents.get();
    assertContent(io.read(0, SIZE), content);
  }
}

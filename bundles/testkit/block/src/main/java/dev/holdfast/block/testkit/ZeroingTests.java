package dev.holdfast.block.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoFlags;
import dev.holdfast.error.StorageException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Zeroing is exact to the byte; trims zero whole blocks and may keep the edges. */
abstract class ZeroingTests extends DeviceTests {
  private static final String RANGES =
      "0,4096;1,1;4095,2;5000,100;100,9000;4097,8190;65536,1048576;70001,3000001;0,8400896;"
          + "8400000,896";

  ZeroingTests(BlockDeviceFactory factory) {
    super(factory);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "0;4096",
        "1;1",
        "4095;2",
        "5000;100",
        "100;9000",
        "4097;8190",
        "65536;1048576",
        "70001;3000001",
        "0;8400896",
        "8400000;896"
      })
  final void zeroedRangeIsZeroToTheByte(int offset, int length) throws StorageException {
    byte[] expected = filled();
    io.write(0, expected);
    for (int flags : new int[] {IoFlags.NONE, IoFlags.NO_HOLE, IoFlags.FUA}) {
      io.write(offset, Arrays.copyOfRange(expected, offset, offset + length));
      io.zero(offset, length, flags);
      byte[] zeroed = expected.clone();
      Arrays.fill(zeroed, offset, offset + length, (byte) 0);
      assertThat(io.read(0, SIZE)).as("flags %d", flags).isEqualTo(zeroed);
    }
  }

  @Test
  final void trimmedBlocksReadAsZeroesAndNothingElseChanges() throws StorageException {
    for (String range : RANGES.split(";", -1)) {
      String[] parts = range.split(",", 2);
      int offset = Integer.parseInt(parts[0]);
      int length = Integer.parseInt(parts[1]);
      byte[] shadow = filled();
      io.write(0, shadow);
      io.trim(offset, length);
      Shadow.trimmed(shadow, offset, io.read(offset, length), device.blockSize(), range);
      assertContent(range, io.read(0, SIZE), shadow);
    }
  }

  @Test
  final void zeroedAndTrimmedRangesTakeNewData() throws StorageException {
    io.write(0, filled());
    io.zero(0, 1 << 20, IoFlags.NONE);
    io.trim(1 << 20, 1 << 20);
    byte[] content = bytes(1 << 19);
    io.write((1 << 20) - (1 << 18), content);
    assertContent(hint(), io.read((1 << 20) - (1 << 18), 1 << 19), content);
  }

  private byte[] filled() {
    byte[] content = bytes(SIZE);
    for (int i = 0; i < content.length; i++) {
      content[i] |= 1;
    }
    return content;
  }
}

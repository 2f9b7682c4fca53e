package dev.holdfast.block.testkit;

import static dev.holdfast.rule.testkit.Content.assertContent;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.IoFlags;
import dev.holdfast.error.StorageException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Reads return written bytes for all offsets and orders of requests. */
abstract class IntegrityTests extends DeviceTests {
  private static final int LONGEST = 300_000;

  IntegrityTests(BlockDeviceFactory factory) {
    super(factory);
  }

  @Test
  final void newDeviceHasItsSizeAndReadsAsZeroes() throws StorageException {
    assertThat(device.size()).isEqualTo(SIZE);
    assertThat(io.read(0, SIZE)).containsOnly(0);
  }

  @Test
  final void blockSizeIsAPowerOfTwoOfAtLeastASector() {
    assertThat(device.blockSize()).isGreaterThanOrEqualTo(512);
    assertThat(Integer.bitCount(device.blockSize())).isOne();
  }

  @Test
  final void wholeDeviceIsWrittenAndReadAtOnce() throws StorageException {
    byte[] content = bytes(SIZE);
    io.write(0, content);
    assertContent(hint(), io.read(0, SIZE), content);
  }

  @Test
  final void firstAndLastByteAreSeparate() throws StorageException {
    io.write(0, new byte[] {1});
    io.write(SIZE - 1L, new byte[] {2});
    byte[] expected = new byte[SIZE];
    expected[0] = 1;
    expected[SIZE - 1] = 2;
    assertContent(io.read(0, SIZE), expected);
  }

  @Test
  final void randomRequestsAgreeWithAShadow() throws StorageException {
    byte[] shadow = new byte[SIZE];
    for (int step = 0; step < STEPS; step++) {
      step(shadow, step);
    }
    assertContent(hint(), io.read(0, SIZE), shadow);
    io.flush();
    assertContent(hint(), io.read(0, SIZE), shadow);
  }

  private void step(byte[] shadow, int step) throws StorageException {
    int length = random.nextInt(random.nextBoolean() ? 9_000 : LONGEST);
    int offset = random.nextInt(SIZE - length + 1);
    if (random.nextInt(3) == 0) {
      offset = offset / 4096 * 4096;
      length = Math.min(length / 4096 * 4096, SIZE - offset);
    }
    switch (random.nextInt(6)) {
      case 0, 1, 2 -> {
        byte[] content = bytes(length);
        io.write(offset, content, random.nextInt(20) == 0 ? IoFlags.FUA : IoFlags.NONE);
        System.arraycopy(content, 0, shadow, offset, length);
      }
      case 3 -> {
        io.zero(offset, length, random.nextBoolean() ? IoFlags.NO_HOLE : IoFlags.NONE);
        Arrays.fill(shadow, offset, offset + length, (byte) 0);
      }
      case 4 -> {
        io.trim(offset, length);
        Shadow.trimmed(shadow, offset, io.read(offset, length), device.blockSize(), hint());
      }
      default ->
          assertThat(io.read(offset, length))
              .as("step %d, %s", step, hint())
              .isEqualTo(Arrays.copyOfRange(shadow, offset, offset + length));
    }
  }
}

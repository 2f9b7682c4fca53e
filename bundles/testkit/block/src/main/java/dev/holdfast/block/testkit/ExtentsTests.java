package dev.holdfast.block.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Extents cover the range in order without gaps, and ranges reported as empty read as zeroes. */
abstract class ExtentsTests extends DeviceTests {
  private record Extent(long offset, long length, ExtentKind kind) {}

  ExtentsTests(BlockDeviceFactory factory) {
    super(factory);
  }

  private List<Extent> extents(long offset, long length) throws StorageException {
    List<Extent> found = new ArrayList<>();
    Outcome outcome = new Outcome();
    device.extents(
        offset,
        length,
        (at, size, kind) -> {
          assertThat(outcome.calls()).as("completions before the last extent").isZero();
          return found.add(new Extent(at, size, kind));
        },
        outcome);
    outcome.get();
    return found;
  }

  private void checkCovering(long offset, long length) throws StorageException {
    long at = offset;
    for (Extent extent : extents(offset, length)) {
      assertThat(extent.offset()).isEqualTo(at);
      assertThat(extent.length()).isPositive();
      if (extent.kind() != ExtentKind.DATA) {
        assertThat(io.read(extent.offset(), (int) extent.length()))
            .as("%s, %s", extent, hint())
            .containsOnly(0);
      }
      at += extent.length();
    }
    assertThat(at).isEqualTo(offset + length);
  }

  @Test
  final void emptyDeviceIsCovered() throws StorageException {
    checkCovering(0, SIZE);
  }

  @Test
  final void writtenAndPunchedDeviceIsCoveredWhereverOneLooks() throws StorageException {
    for (int i = 0; i < 40; i++) {
      int length = 1 + random.nextInt(100_000);
      int offset = random.nextInt(SIZE - length);
      if (random.nextInt(3) > 0) {
        io.write(offset, bytes(length));
      } else if (random.nextBoolean()) {
        io.trim(offset, length);
      } else {
        io.zero(offset, length, random.nextBoolean() ? IoFlags.NO_HOLE : IoFlags.NONE);
      }
    }
    checkCovering(0, SIZE);
    for (int i = 0; i < 40; i++) {
      int length = 1 + random.nextInt(1 << 20);
      checkCovering(random.nextInt(SIZE - length), length);
    }
  }

  @Test
  final void dataIsNeverCalledEmpty() throws StorageException {
    io.write(5_000_001, new byte[] {1});
    List<Extent> found = extents(5_000_001, 1);
    assertThat(found).containsExactly(new Extent(5_000_001, 1, ExtentKind.DATA));
  }

  @Test
  final void visitorMayStop() throws StorageException {
    io.write(1 << 20, bytes(1 << 16));
    io.write(3 << 20, bytes(1 << 16));
    List<Extent> found = new ArrayList<>();
    Outcome outcome = new Outcome();
    device.extents(
        0,
        SIZE,
        (at, length, kind) -> {
          found.add(new Extent(at, length, kind));
          return false;
        },
        outcome);
    outcome.get();
    assertThat(found).hasSize(1);
  }
}

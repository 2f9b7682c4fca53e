package dev.holdfast.block.testkit;

import dev.holdfast.block.BlockDevice;
import org.junit.jupiter.api.Nested;

/**
 * Conformance tests of {@link BlockDevice}, by topic. A subclass implements the factory and is
 * otherwise empty. To test a filter, wrap another device in the factory.
 *
 * <p>Random tests take their seed from the system property {@code holdfast.kit.seed}, their number
 * of steps from {@code holdfast.kit.steps}; a failure reports the seed.
 */
public abstract class BlockDeviceKit {

  /**
   * Creates the device under test; see {@link BlockDeviceFactory#create}.
   *
   * @param size in bytes, a multiple of 4096
   * @return a new device that reads as zeroes, never null
   * @throws Exception when the device cannot be created
   */
  protected abstract BlockDevice create(long size) throws Exception;

  /** Reads return written bytes. */
  @Nested
  public class Integrity extends IntegrityTests {
    Integrity() {
      super(BlockDeviceKit.this::create);
    }
  }

  /** Requests outside of the device have no effect. */
  @Nested
  public class Bounds extends BoundsTests {
    Bounds() {
      super(BlockDeviceKit.this::create);
    }
  }

  /** Zeroing is exact to the byte, trimming to the block. */
  @Nested
  public class Zeroing extends ZeroingTests {
    Zeroing() {
      super(BlockDeviceKit.this::create);
    }
  }

  /** Extents cover the requested range and describe it correctly. */
  @Nested
  public class Extents extends ExtentsTests {
    Extents() {
      super(BlockDeviceKit.this::create);
    }
  }

  /** Concurrent requests. */
  @Nested
  public class Concurrency extends ConcurrencyTests {
    Concurrency() {
      super(BlockDeviceKit.this::create);
    }
  }

  /** Buffers, completions and closing. */
  @Nested
  public class Requests extends RequestTests {
    Requests() {
      super(BlockDeviceKit.this::create);
    }
  }
}

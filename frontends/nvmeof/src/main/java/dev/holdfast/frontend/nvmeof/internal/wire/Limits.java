package dev.holdfast.frontend.nvmeof.internal.wire;

/** Limits that are reported to hosts. */
public final class Limits {
  /** Size of a logical block in bytes, as a power of two. */
  public static final int BLOCK_SHIFT = 9;

  /** Size of a logical block in bytes. */
  public static final int BLOCK = 1 << BLOCK_SHIFT;

  /** Maximum bytes of one command: a power of two of {@link #PAGE}. */
  public static final int TRANSFER = 1 << 20;

  /** {@link #TRANSFER} as the exponent in Identify. */
  public static final int TRANSFER_SHIFT = 8;

  /** Minimum memory page size in bytes. */
  static final int PAGE = 4096;

  /** Maximum data in a command's capsule, in bytes. */
  public static final int IN_CAPSULE = 16 << 10;

  /** Entries of a queue. */
  public static final int ENTRIES = 128;

  /**
   * I/O queues of a controller. Each is a connection, and the number of a frontend's connections is
   * limited.
   */
  public static final int QUEUES = 8;

  /** Maximum bytes that one connection was requested to send and has not sent yet. */
  public static final int REQUESTED = 8 << 20;

  /** Maximum bytes that fused commands compare and write atomically. */
  public static final int FUSED = 16 << 10;

  /** Maximum asynchronous event requests of one controller. */
  public static final int EVENTS = 4;

  /** Maximum keep-alive time-out in milliseconds. */
  public static final long KEEP_ALIVE = 3_600_000;

  /** Maximum ranges of one Dataset Management command. */
  static final int RANGES = 256;

  private Limits() {}
}

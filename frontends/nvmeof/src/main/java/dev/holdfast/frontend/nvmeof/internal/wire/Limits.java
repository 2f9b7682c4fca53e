package dev.holdfast.frontend.nvmeof.internal.wire;

/** Limits for hosts, as they are announced to them. */
public final class Limits {
  /** Bytes of a logical block, as a power of two. */
  public static final int BLOCK_SHIFT = 9;

  /** Bytes of a logical block. */
  public static final int BLOCK = 1 << BLOCK_SHIFT;

  /** Bytes that one command moves at most: a power of two of {@link #PAGE}. */
  public static final int TRANSFER = 1 << 20;

  /** {@link #TRANSFER} as the exponent in Identify. */
  public static final int TRANSFER_SHIFT = 8;

  /** The smallest memory page. */
  static final int PAGE = 4096;

  /** Data in a command's capsule. */
  public static final int IN_CAPSULE = 16 << 10;

  /** Entries of a queue. */
  public static final int ENTRIES = 128;

  /** I/O queues of a controller: each is a connection, of which a frontend has a limited number. */
  public static final int QUEUES = 8;

  /** Bytes that one connection was requested to send and has not sent yet. */
  public static final int REQUESTED = 8 << 20;

  /** Bytes that are compared and written at once by fused commands. */
  public static final int FUSED = 16 << 10;

  /** Asynchronous event requests of one controller. */
  public static final int EVENTS = 4;

  /** The longest time-out for keeping alive, in milliseconds. */
  public static final long KEEP_ALIVE = 3_600_000;

  /** Ranges of one Dataset Management command. */
  static final int RANGES = 256;

  private Limits() {}
}

package dev.holdfast.block;

/** Bits of the {@code flags} argument of requests; an int so that a request allocates nothing. */
public final class IoFlags {
  /** No flag. */
  public static final int NONE = 0;

  /** The effect must be durable against loss of power before the completion (force unit access). */
  public static final int FUA = 1;

  /** The zeroed range must stay allocated, so that later writes into it cannot run out of space. */
  public static final int NO_HOLE = 2;

  private IoFlags() {}
}

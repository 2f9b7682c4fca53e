package dev.holdfast.engine.export;

import java.util.Objects;

/**
 * Requests that hosts made through an export since the process that serves it was started. Requests
 * that end while it is taken may or may not be in it.
 *
 * @param reads that have ended, not null
 * @param writes that have ended, not null
 * @param flushes that have ended, not null
 * @param trims that have ended, not null
 * @param zeroings that have ended, not null
 * @param inFlight requests that have not ended
 * @since 1.0
 */
public record ExportStatistics(
    Count reads, Count writes, Count flushes, Count trims, Count zeroings, int inFlight) {
  /** Checks that nothing is missing. */
  public ExportStatistics {
    Objects.requireNonNull(reads, "reads");
    Objects.requireNonNull(writes, "writes");
    Objects.requireNonNull(flushes, "flushes");
    Objects.requireNonNull(trims, "trims");
    Objects.requireNonNull(zeroings, "zeroings");
  }

  /**
   * Requests of one kind that have ended.
   *
   * @param requests how many, failed ones too
   * @param bytes how many bytes the successful ones moved or covered
   * @param errors how many failed
   */
  public record Count(long requests, long bytes, long errors) {}
}

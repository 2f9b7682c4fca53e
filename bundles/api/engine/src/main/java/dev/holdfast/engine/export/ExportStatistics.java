package dev.holdfast.engine.export;

import java.util.Objects;

/**
 * Requests of hosts through an export since the start of its process. Requests that end while the
 * statistics are read may be missing.
 *
 * @param reads ended reads, not null
 * @param writes ended writes, not null
 * @param flushes ended flushes, not null
 * @param trims ended trims, not null
 * @param zeroings ended zeroings, not null
 * @param inFlight number of requests in flight
 * @since 1.0
 */
public record ExportStatistics(
    Count reads, Count writes, Count flushes, Count trims, Count zeroings, int inFlight) {
  /** Rejects null components. */
  public ExportStatistics {
    Objects.requireNonNull(reads, "reads");
    Objects.requireNonNull(writes, "writes");
    Objects.requireNonNull(flushes, "flushes");
    Objects.requireNonNull(trims, "trims");
    Objects.requireNonNull(zeroings, "zeroings");
  }

  /**
   * Ended requests of one kind.
   *
   * @param requests number of requests, including failed ones
   * @param bytes number of bytes that the successful requests transferred or covered
   * @param errors number of failed requests
   */
  public record Count(long requests, long bytes, long errors) {}
}

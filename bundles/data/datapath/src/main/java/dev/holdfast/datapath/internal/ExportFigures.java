package dev.holdfast.datapath.internal;

import dev.holdfast.block.filter.IoKind;
import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.block.filter.IoStatistics;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.engine.export.ExportStatistics;
import java.util.Map;

/** Converts limits and statistics of native exports to those of the portal's devices and back. */
final class ExportFigures {
  private ExportFigures() {}

  static ExportLimits limits(IoLimits limits) {
    return new ExportLimits(
        limits.requests(),
        limits.bytes(),
        limits.reads(),
        limits.bytesRead(),
        limits.writes(),
        limits.bytesWritten(),
        limits.burstSeconds());
  }

  static IoStatistics statistics(ExportStatistics statistics) {
    return new IoStatistics(
        Map.of(
            IoKind.READ, count(statistics.reads()),
            IoKind.WRITE, count(statistics.writes()),
            IoKind.FLUSH, count(statistics.flushes()),
            IoKind.TRIM, count(statistics.trims()),
            IoKind.WRITE_ZEROES, count(statistics.zeroings())),
        statistics.inFlight());
  }

  private static IoStatistics.Count count(ExportStatistics.Count count) {
    return new IoStatistics.Count(count.requests(), count.bytes(), count.errors());
  }
}

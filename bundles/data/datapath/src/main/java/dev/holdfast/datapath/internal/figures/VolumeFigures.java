package dev.holdfast.datapath.internal.figures;

import dev.holdfast.block.filter.GateStatistics;
import dev.holdfast.block.filter.IoStatistics;
import java.util.Optional;

/**
 * Requests of hosts to an open volume so far.
 *
 * @param volume its name
 * @param io requests by kind, of the way in which hosts reach the volume
 * @param gate statistics of the gate; if the engine exports the volume, only forwarded requests
 * @param throttledNanos total time in nanoseconds that requests waited for limits
 */
public record VolumeFigures(
    String volume, IoStatistics io, Optional<GateStatistics> gate, long throttledNanos) {}

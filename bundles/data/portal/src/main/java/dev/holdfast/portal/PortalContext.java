package dev.holdfast.portal;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.frontend.ExportDirectory;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Parts that one portal shares. */
record PortalContext(
    PortalSettings settings,
    PortalLimits limits,
    BufferPool pool,
    Watchdog watchdog,
    ClosedConnections closed,
    PortalThreads threads,
    FrontendCalls calls,
    Clock clock,
    Supplier<Optional<NodeTls>> certificates,
    Supplier<Optional<ExportDirectory>> directory,
    Function<String, Optional<FrontendRank>> bundleOf) {}

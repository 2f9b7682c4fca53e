package dev.holdfast.portal;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.frontend.ExportDirectory;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Parts that the listeners of one portal share. */
record PortalContext(
    ListenerSettings settings,
    ConnectionContext shared,
    FrontendCalls calls,
    Clock clock,
    Supplier<Optional<NodeTls>> certificates,
    Supplier<Optional<ExportDirectory>> directory,
    Function<String, Optional<FrontendRank>> bundleOf) {}

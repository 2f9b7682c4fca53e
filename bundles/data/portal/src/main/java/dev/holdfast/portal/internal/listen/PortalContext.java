package dev.holdfast.portal.internal.listen;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ExportDirectory;
import dev.holdfast.portal.internal.session.ConnectionContext;
import dev.holdfast.portal.internal.session.FrontendCalls;
import dev.holdfast.portal.internal.session.FrontendRank;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Components that the listeners of one portal share. */
public record PortalContext(
    ListenerSettings settings,
    ConnectionContext shared,
    FrontendCalls calls,
    Clock clock,
    Supplier<Optional<NodeTls>> certificates,
    Supplier<Optional<ExportDirectory>> directory,
    Supplier<Optional<ClientDirectory>> clients,
    Function<String, Optional<FrontendRank>> bundleOf) {}

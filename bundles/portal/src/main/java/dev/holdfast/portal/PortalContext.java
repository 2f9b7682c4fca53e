package dev.holdfast.portal;

import dev.holdfast.certificates.NodeTls;
import java.util.Optional;
import java.util.function.Supplier;

/** What the parts of one portal share. */
record PortalContext(
    PortalSettings settings,
    PortalLimits limits,
    BufferPool pool,
    Watchdog watchdog,
    Supplier<Optional<NodeTls>> certificates) {}

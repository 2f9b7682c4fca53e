package dev.holdfast.portal;

/** What the parts of one portal share. */
record PortalContext(
    PortalSettings settings, PortalLimits limits, BufferPool pool, Watchdog watchdog) {}

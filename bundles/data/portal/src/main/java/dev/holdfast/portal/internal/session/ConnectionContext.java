package dev.holdfast.portal.internal.session;

import dev.holdfast.portal.internal.transport.BufferPool;
import dev.holdfast.portal.internal.transport.PortalLimits;
import dev.holdfast.portal.internal.transport.PortalThreads;
import dev.holdfast.portal.internal.transport.Watchdog;

/**
 * Components that all connections of a portal share.
 *
 * @param limits for clients
 * @param pool of the buffers
 * @param watchdog that checks the connections
 * @param closed reports connections that the portal closed
 * @param threads starts threads
 */
public record ConnectionContext(
    PortalLimits limits,
    BufferPool pool,
    Watchdog watchdog,
    ClosedConnections closed,
    PortalThreads threads) {}

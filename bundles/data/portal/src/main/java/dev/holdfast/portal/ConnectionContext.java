package dev.holdfast.portal;

/**
 * Parts that all connections of a portal share.
 *
 * @param limits for clients
 * @param pool of the buffers
 * @param watchdog that checks the connections
 * @param closed reports connections that the portal closed
 * @param threads starts threads
 */
record ConnectionContext(
    PortalLimits limits,
    BufferPool pool,
    Watchdog watchdog,
    ClosedConnections closed,
    PortalThreads threads) {}

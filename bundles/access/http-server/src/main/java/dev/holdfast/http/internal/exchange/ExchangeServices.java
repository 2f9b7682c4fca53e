package dev.holdfast.http.internal.exchange;

import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpRouter;
import dev.holdfast.http.internal.work.LargeBodies;
import dev.holdfast.http.internal.work.ServerThreads;
import java.util.concurrent.Semaphore;

/**
 * Services that all requests of a server use.
 *
 * @param router decides about them
 * @param limits of clients
 * @param threads that handle them
 * @param largeBodies bounds bodies in memory
 * @param pieces bounds answers in pieces
 */
public record ExchangeServices(
    HttpRouter router,
    HttpLimits limits,
    ServerThreads threads,
    LargeBodies largeBodies,
    Semaphore pieces) {}

package dev.holdfast.http.internal.exchange;

import dev.holdfast.http.HttpLimits;
import dev.holdfast.http.HttpRouter;
import dev.holdfast.http.internal.work.LargeBodies;
import dev.holdfast.http.internal.work.ServerThreads;
import java.util.concurrent.Semaphore;

/**
 * Services for all requests of a server.
 *
 * @param router routes requests
 * @param limits of clients
 * @param threads threads that handle requests
 * @param largeBodies limits large bodies in memory
 * @param pieces limits answers in pieces
 */
public record ExchangeServices(
    HttpRouter router,
    HttpLimits limits,
    ServerThreads threads,
    LargeBodies largeBodies,
    Semaphore pieces) {}

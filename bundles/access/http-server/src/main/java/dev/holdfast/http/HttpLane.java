package dev.holdfast.http;

/**
 * Groups of threads that handle requests. A request of one lane never waits for the requests of
 * another.
 */
public enum HttpLane {
  /** Checks of liveness, which never block, on their own thread. */
  LIVENESS(1, 1024),
  /** Checks of readiness, which may wait for the store. */
  READINESS(2, 1024),
  /** Unauthenticated callers, such as a joining node. */
  WITHOUT_CREDENTIAL(2, 256),
  /** Decisions about callers whom only the store or an identity provider can identify. */
  ADMISSION(4, 256),
  /** All other requests. */
  REQUESTS(64, 1024);

  private final int threads;
  private final int waiting;

  HttpLane(int threads, int waiting) {
    this.threads = threads;
    this.waiting = waiting;
  }

  /** Returns the number of requests handled concurrently. */
  public int threads() {
    return threads;
  }

  /** Returns the number of further requests that may wait; the next one receives 429. */
  public int waiting() {
    return waiting;
  }
}

package dev.holdfast.http;

/**
 * Threads on which requests are handled. A request of one lane never waits for the requests of
 * another.
 */
public enum HttpLane {
  /** Whether the process lives: a thread of its own, for what never blocks. */
  LIVENESS(1, 1024),
  /** Whether the node is ready, which may wait for the store. */
  READINESS(2, 1024),
  /** Callers that have shown no credential, such as a node that joins. */
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

  /** Returns how many requests are handled at a time. */
  public int threads() {
    return threads;
  }

  /** Returns how many more may wait; the next one gets 429. */
  public int waiting() {
    return waiting;
  }
}

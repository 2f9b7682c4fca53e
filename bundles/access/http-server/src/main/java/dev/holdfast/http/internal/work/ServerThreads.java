package dev.holdfast.http.internal.work;

import dev.holdfast.http.HttpLane;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of a server in addition to its event loops; started on demand and ended when idle.
 */
public final class ServerThreads implements AutoCloseable {
  private static final int TLS = 2;
  private static final int STREAMS = 128;
  private static final int PUMPS = 2;

  private final ExecutorService threads = Executors.newCachedThreadPool(factory("holdfast-api-"));
  private final Map<HttpLane, WorkLane> lanes = new EnumMap<>(HttpLane.class);
  private final WorkLane handshakes = new WorkLane(threads, TLS, Integer.MAX_VALUE);
  private final WorkLane streams = new WorkLane(threads, STREAMS, 0);
  private final WorkLane pumps = new WorkLane(threads, PUMPS, Integer.MAX_VALUE);

  /** Prepares the lanes without starting threads. */
  public ServerThreads() {
    for (HttpLane lane : HttpLane.values()) {
      lanes.put(lane, new WorkLane(threads, lane.threads(), lane.waiting()));
    }
  }

  /** Returns a factory of numbered daemon threads. */
  private static ThreadFactory factory(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, prefix + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Returns the threads of a lane. */
  public WorkLane lane(HttpLane lane) {
    return lanes.get(lane);
  }

  /** Returns the lane for TLS signatures. */
  public WorkLane handshakes() {
    return handshakes;
  }

  /**
   * Returns the lane for requests with streamed bodies, each of which blocks a thread while its
   * client is slow.
   */
  public WorkLane streams() {
    return streams;
  }

  /** Returns the lane for bodies that are produced piece by piece without blocking. */
  public WorkLane pumps() {
    return pumps;
  }

  /** Ends the threads after the started work is done. */
  @Override
  public void close() {
    threads.shutdown();
  }
}

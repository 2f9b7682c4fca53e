package dev.holdfast.http.internal.work;

import dev.holdfast.http.HttpLane;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads of a server beside its event loops: started when needed, ended when idle. */
public final class ServerThreads implements AutoCloseable {
  private static final int TLS = 2;
  private static final int STREAMS = 128;
  private static final int PUMPS = 2;

  private final ExecutorService threads = Executors.newCachedThreadPool(factory("holdfast-api-"));
  private final Map<HttpLane, WorkLane> lanes = new EnumMap<>(HttpLane.class);
  private final WorkLane handshakes = new WorkLane(threads, TLS, Integer.MAX_VALUE);
  private final WorkLane streams = new WorkLane(threads, STREAMS, 0);
  private final WorkLane pumps = new WorkLane(threads, PUMPS, Integer.MAX_VALUE);

  /** Prepares the lanes; starts nothing. */
  public ServerThreads() {
    for (HttpLane lane : HttpLane.values()) {
      lanes.put(lane, new WorkLane(threads, lane.threads(), lane.waiting()));
    }
  }

  /** Returns a factory of daemons whose names are numbered. */
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

  /** Signatures of TLS. */
  public WorkLane handshakes() {
    return handshakes;
  }

  /** Requests whose bodies are streams: each blocks a thread while its client is slow. */
  public WorkLane streams() {
    return streams;
  }

  /** Bodies that are made piece by piece; nothing there blocks. */
  public WorkLane pumps() {
    return pumps;
  }

  /** Ends the threads when what was begun is done. */
  @Override
  public void close() {
    threads.shutdown();
  }
}

package dev.holdfast.portal.internal.transport;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Starts threads from a separate thread. A new thread inherits from its starter the context class
 * loader, the inheritable thread locals and the protection domains of all classes on the stack. A
 * thread started below a frontend's call would keep that frontend's bundle in memory for its
 * lifetime.
 */
public final class PortalThreads implements AutoCloseable {
  private final ThreadPoolExecutor starter =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          task -> {
            Thread thread = new Thread(task, "portal-threads");
            thread.setDaemon(true);
            return thread;
          },
          new ThreadPoolExecutor.DiscardPolicy());

  public PortalThreads() {
    int unused = starter.prestartAllCoreThreads();
  }

  /** Starts a daemon thread soon; does nothing after {@link #close}. */
  void start(Runnable task, String name) {
    run(
        () -> {
          Thread thread = new Thread(task, name);
          thread.setDaemon(true);
          thread.start();
        });
  }

  /** Runs an action that creates and starts a thread. */
  public void run(Runnable action) {
    starter.execute(action);
  }

  @Override
  public void close() {
    starter.shutdown();
  }
}

package dev.holdfast.store.kubernetes.internal;

import dev.holdfast.error.StorageException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks after nodes that are down, until it is closed. The same trouble is told once. */
final class NodeDownWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeDownWatch.class);
  private static final long IDLE_SECONDS = 10;
  private static final long BUSY_SECONDS = 1;

  private final NodeDownPods pods;
  private final CountDownLatch stopped = new CountDownLatch(1);

  private NodeDownWatch(NodeDownPods pods) {
    this.pods = pods;
  }

  static NodeDownWatch start(NodeDownPods pods) {
    NodeDownWatch watch = new NodeDownWatch(pods);
    Thread thread = new Thread(watch::run, "store-kubernetes-node-down");
    thread.setDaemon(true);
    thread.start();
    return watch;
  }

  private void run() {
    String told = "";
    boolean busy = false;
    try {
      while (!stopped.await(busy ? BUSY_SECONDS : IDLE_SECONDS, TimeUnit.SECONDS)) {
        try {
          busy = pods.run();
          told = "";
        } catch (StorageException e) {
          busy = false;
          if (!told.equals(e.getMessage())) {
            told = e.getMessage();
            LOG.warn("cannot look after pods of nodes that are down: {}", told);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** No more is begun; what is under way ends with its answer. */
  @Override
  public void close() {
    stopped.countDown();
  }
}

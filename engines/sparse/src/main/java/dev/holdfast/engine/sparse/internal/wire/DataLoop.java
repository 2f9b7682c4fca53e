package dev.holdfast.engine.sparse.internal.wire;

import dev.holdfast.block.IoThread;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that reads the replies of all replicas on other nodes. It never waits for one node:
 * unsent bytes are sent when their socket is writable.
 */
public final class DataLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DataLoop.class);

  /** Receiver of the events of a channel. Called on the loop's thread. */
  interface Handler {
    /** Called when the channel is readable. */
    void readable();

    /** Called when the channel is writable again. */
    void writable();

    /** Called when the loop ends: the channel is not read any more. */
    void stopped();
  }

  private final Selector selector;
  private final IoThread thread;
  private volatile boolean stopping;
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  public DataLoop() throws IOException {
    selector = Selector.open();
    thread = new IoThread(this::run, "replica-replies");
    thread.start();
  }

  /** Starts to watch a channel for input. */
  void watch(SocketChannel channel, Handler handler) throws IOException {
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ, handler);
    selector.wakeup();
  }

  /** Notifies the handler once when the channel is writable. Any thread may call this. */
  void awaitWritable(SocketChannel channel) {
    SelectionKey key = channel.keyFor(selector);
    try {
      if (key != null) {
        key.interestOpsOr(SelectionKey.OP_WRITE);
      }
    } catch (CancelledKeyException e) {
      // Another thread closed the channel and handles the unsent requests.
      return;
    }
    if (!isCurrent()) {
      selector.wakeup();
    }
  }

  /** Runs a task on the loop's thread, later. */
  void later(Runnable task) {
    tasks.add(task);
    selector.wakeup();
  }

  boolean isCurrent() {
    return Thread.currentThread() == thread;
  }

  private void run() {
    while (!stopping) {
      try {
        selector.select(this::ready);
        thread.endRun();
      } catch (IOException | RuntimeException | Error e) {
        LOG.error("replies of replicas: a round of the loop failed", e);
      }
      runTasks();
    }
    for (SelectionKey key : selector.keys()) {
      guarded(() -> ((Handler) key.attachment()).stopped());
    }
    runTasks();
    try {
      selector.close();
    } catch (IOException e) {
      LOG.warn("replies of replicas: the selector could not be closed: {}", e.getMessage());
    }
  }

  private void runTasks() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      guarded(task);
    }
  }

  // All connections share this thread: an exception of one must not end it.
  private static void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.error("replies of replicas: a task of one connection failed", e);
    }
  }

  // A run lasts until all ready channels had their turn, because the last reply of several
  // completes a write.
  private void ready(SelectionKey key) {
    Handler handler = (Handler) key.attachment();
    thread.beginRun();
    try {
      if (key.isValid() && key.isWritable()) {
        key.interestOpsAnd(~SelectionKey.OP_WRITE);
        handler.writable();
      }
      if (key.isValid() && key.isReadable()) {
        handler.readable();
      }
    } catch (CancelledKeyException e) {
      // The channel was closed while it was ready.
    } catch (RuntimeException | Error e) {
      LOG.error("replies of replicas: one connection failed", e);
    }
  }

  /** Breaks all connections; their loss is reported. */
  @Override
  public void close() {
    stopping = true;
    selector.wakeup();
  }
}

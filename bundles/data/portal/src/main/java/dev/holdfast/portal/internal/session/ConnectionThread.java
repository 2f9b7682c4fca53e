package dev.holdfast.portal.internal.session;

import dev.holdfast.block.IoThread;
import dev.holdfast.portal.internal.transport.PortalThreads;
import java.io.IOException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of a connection, which runs the turns of its session. Another thread follows when the
 * session's bundle was replaced, or when this one hangs in a device at the end of a turn. Only one
 * thread at a time works for the connection.
 */
final class ConnectionThread {
  /** Work of one thread of the connection. */
  @FunctionalInterface
  interface Work {
    /** Returns whether another thread continues; if not, the connection has ended. */
    boolean run() throws IOException, InterruptedException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(ConnectionThread.class);

  private final String name;
  private final PortalThreads threads;
  private final SessionSlot slot;
  private final Inbox inbox;
  private final IoThread.Relief relief;
  private final Runnable unstarted;
  // Used only by the thread that works for the connection.
  private IoThread thread;
  private Throwable failure;

  /**
   * Prepares a connection's thread.
   *
   * @param relieved runs on another thread when one hangs; it calls {@link #continueTurn} first
   * @param unstarted called when a following thread cannot start: the connection ends
   */
  ConnectionThread(
      String name,
      PortalThreads threads,
      SessionSlot slot,
      Inbox inbox,
      Consumer<IoThread.Remainder> relieved,
      Runnable unstarted) {
    this.name = name;
    this.threads = threads;
    this.slot = slot;
    this.inbox = inbox;
    this.relief = remainder -> follow(() -> relieved.accept(remainder));
    this.unstarted = unstarted;
  }

  /** Starts the first thread. */
  void start(Runnable task) {
    thread = new IoThread(task, name);
    thread.start();
  }

  /** Starts another thread soon; the present one does no more work for the connection. */
  void follow(Runnable task) {
    threads.run(
        () -> {
          try {
            start(task);
          } catch (RuntimeException | Error e) {
            LOG.error("{}: could not start a thread; its connection is closed", name, e);
            unstarted.run();
          }
        });
  }

  /**
   * Passes the read bytes to the entered session, and leaves the slot.
   *
   * @return false when another thread continues, because this one hung
   */
  boolean turn() throws IOException {
    IoThread present = thread;
    present.beginRun();
    try {
      inbox.offer(slot.session());
    } catch (IOException | RuntimeException | Error e) {
      // Rethrown by the thread that ends the turn.
      failure = e;
    }
    return present.endRun(relief) && ended();
  }

  /** Ends a turn that the previous thread began; as {@link #turn}. */
  boolean continueTurn(IoThread.Remainder remainder) throws IOException {
    return thread.continueRun(remainder, relief) && ended();
  }

  private boolean ended() throws IOException {
    Throwable cause = failure;
    failure = null;
    if (cause instanceof IOException e) {
      throw e;
    }
    if (cause instanceof RuntimeException e) {
      throw e;
    }
    if (cause instanceof Error e) {
      throw e;
    }
    slot.exit();
    return true;
  }
}

package dev.holdfast.engine.example.outside.internal.nbd;

import dev.holdfast.block.IoThread;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests to a server that may be restarted: they wait while it is not connected, and those
 * without a reply are sent again on the next one. Two threads, because a server that waits until
 * its replies are read does not read requests.
 *
 * <pre>
 *   unsent ──sender──► sent ──receiver──► completed
 *      ▲                 │
 *      └── connection lost
 * </pre>
 */
final class RequestQueue {
  private static final Logger LOG = LoggerFactory.getLogger(RequestQueue.class);
  private static final long RETRY_MILLIS = 50;
  private static final long DRAIN_NANOS = Duration.ofSeconds(30).toNanos();

  private final String name;
  private final NbdDevice.Connector connector;
  private final Consumer<StorageException> ended;
  private final Deque<OutsideRequest> unsent = new ArrayDeque<>();
  private final Map<Long, OutsideRequest> sent = new LinkedHashMap<>();
  private final IoThread sender;
  private final IoThread receiver;
  private NbdConnection connection;
  private StorageException refusal;
  private boolean stopped;
  private long cookies;

  RequestQueue(
      String name,
      NbdConnection first,
      NbdDevice.Connector connector,
      Consumer<StorageException> ended) {
    this.name = name;
    this.connection = first;
    this.connector = connector;
    this.ended = ended;
    this.sender = new IoThread(this::send, "nbd-send-" + name);
    this.receiver = new IoThread(this::receive, "nbd-receive-" + name);
  }

  void start() {
    sender.start();
    receiver.start();
  }

  /** Adds a request; completes it at once when the queue is closed. */
  void add(OutsideRequest request) {
    StorageException failure;
    synchronized (this) {
      failure = refusal;
      if (failure == null) {
        unsent.add(request);
        notifyAll();
      }
    }
    if (failure != null) {
      request.complete(failure);
    }
  }

  private void send() {
    while (true) {
      OutsideRequest next;
      NbdConnection to;
      synchronized (this) {
        while (!stopped && (connection == null || unsent.isEmpty())) {
          pause(0);
        }
        if (stopped) {
          return;
        }
        next = unsent.remove();
        next.begin(++cookies);
        sent.put(next.cookie(), next);
        to = connection;
      }
      try {
        to.send(next);
      } catch (IOException e) {
        disconnect(to); // the receiver notices, and has everything sent again
      }
    }
  }

  private void receive() {
    for (NbdConnection from = current(); from != null; from = reconnected()) {
      try {
        while (true) {
          OutsideRequest done = from.receive(this::find);
          synchronized (this) {
            sent.remove(done.cookie());
            notifyAll();
          }
          done.complete();
        }
      } catch (IOException e) {
        LOG.debug("{}: connection lost", name, e);
        lost(from);
      }
    }
    fail();
  }

  private synchronized OutsideRequest find(long cookie) {
    return sent.get(cookie);
  }

  private synchronized NbdConnection current() {
    return stopped ? null : connection;
  }

  private void lost(NbdConnection from) {
    disconnect(from);
    synchronized (this) {
      connection = null;
      List<OutsideRequest> again = new ArrayList<>(sent.values());
      sent.clear();
      for (int i = again.size() - 1; i >= 0; i--) {
        unsent.addFirst(again.get(i));
      }
      notifyAll();
    }
  }

  /** Returns the next connection, null when the queue was stopped. */
  private NbdConnection reconnected() {
    while (true) {
      synchronized (this) {
        if (stopped) {
          return null;
        }
      }
      try {
        NbdConnection next = connector.connect();
        synchronized (this) {
          connection = next;
          notifyAll();
        }
        return current();
      } catch (StorageException e) {
        end(e);
        ended.accept(e);
      } catch (IOException e) {
        LOG.debug("{}: could not connect again", name, e);
        synchronized (this) {
          if (!stopped) {
            pause(RETRY_MILLIS);
          }
        }
      }
    }
  }

  /** Waits to be notified. An interrupt only ends the wait. */
  @SuppressWarnings("WaitNotInLoop") // The callers are loops.
  private synchronized void pause(long millis) {
    try {
      wait(millis);
    } catch (InterruptedException e) {
      LOG.debug("{}: interrupted", name, e);
    }
  }

  /** Completes what is left, after both threads have finished with the buffers. */
  private void fail() {
    join(sender);
    List<OutsideRequest> left;
    StorageException failure;
    synchronized (this) {
      left = new ArrayList<>(sent.values());
      left.addAll(unsent);
      sent.clear();
      unsent.clear();
      failure = refusal;
    }
    left.forEach(request -> request.complete(failure));
  }

  /** Rejects new requests, and fails those without a reply. Does not wait. */
  synchronized void end(StorageException cause) {
    refusal = refusal == null ? cause : refusal;
    stopped = true;
    if (connection != null) {
      disconnect(connection);
    }
    notifyAll();
  }

  /** Rejects new requests, waits for those in flight, and disconnects. */
  void close() {
    synchronized (this) {
      if (refusal == null) {
        refusal = new StorageException(ErrorCode.IO, name + " is closed: open the volume");
      }
      long end = System.nanoTime() + DRAIN_NANOS;
      boolean mine = Thread.currentThread() == receiver;
      while (!mine && !stopped && busy() && end - System.nanoTime() > 0) {
        pause(RETRY_MILLIS);
      }
      end(refusal);
    }
    if (Thread.currentThread() != receiver) {
      join(receiver);
    }
  }

  /** Without a connection, waiting requests cannot end by themselves. */
  private boolean busy() {
    return connection != null && !(sent.isEmpty() && unsent.isEmpty());
  }

  private static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void disconnect(NbdConnection former) {
    try {
      former.close();
    } catch (IOException e) {
      LOG.debug("{}: could not disconnect", name, e);
    }
  }
}

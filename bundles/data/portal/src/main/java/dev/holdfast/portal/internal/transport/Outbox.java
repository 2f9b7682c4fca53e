package dev.holdfast.portal.internal.transport;

import dev.holdfast.block.IoThread;
import dev.holdfast.frontend.Reply;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The replies of one connection, from taken to sent. The holder of the <i>role of the sender</i>
 * writes to the transport; there is one holder at a time:
 *
 * <pre>
 *   the connection's thread, from beginBatch to finishBatch:
 *       every reply queued in between leaves in gathered writes at its end
 *   an I/O thread on which a device completed, at the end of its run, once the transport
 *       is one that never makes it wait: what the client does not take now the courier sends
 *   the courier thread, otherwise: started when a device first completes on another thread,
 *       so that a slow client never blocks that thread
 * </pre>
 */
public final class Outbox {
  private static final int FLUSH_BYTES = 256 << 10;
  private static final int GATHER = 64;
  private static final int KEPT_BYTES = 1 << 20;
  private static final int KEPT_REPLIES = 64;

  private final BufferPool pool;
  private final PortalLimits limits;
  private final Watchdog watchdog;
  private final PortalThreads threads;
  private final String name;
  private final List<ArrayDeque<PooledReply>> kept = new ArrayList<>();
  private final ArrayDeque<PooledReply> queue = new ArrayDeque<>(GATHER);
  private final PooledReply[] gathered = new PooledReply[GATHER];
  private final ByteBuffer[] buffers = new ByteBuffer[GATHER];
  private final Runnable answer = this::answer;
  private Transport transport;
  private Optional<NonBlockingTransport> prompt = Optional.empty();
  private boolean courier;
  private long queuedBytes;
  private int taken;
  private long takenBytes;
  private boolean used;
  private boolean sending;
  private int waitingSenders;
  // Number of gathered replies that the courier must send before others, while it keeps the role.
  private int unsent;
  private boolean lateRuns;
  private boolean broken;
  private boolean closed;
  private volatile int writingSince;

  public Outbox(
      BufferPool pool,
      PortalLimits limits,
      Watchdog watchdog,
      PortalThreads threads,
      Transport transport,
      String name) {
    this.pool = pool;
    this.limits = limits;
    this.watchdog = watchdog;
    this.threads = threads;
    this.transport = transport;
    this.name = name;
    for (int i = 0; i < BufferPool.classes(); i++) {
      kept.add(new ArrayDeque<>());
    }
  }

  /** Takes the role of the sender, after the present holder has given it back. */
  public synchronized void beginBatch() {
    while (sending) {
      pauseAsSender();
    }
    sending = true;
  }

  /** Sends the queued replies and gives the role back. */
  public void finishBatch() {
    drain(true);
  }

  /** Changes the transport. Only the holder of the role may call this, with an empty queue. */
  public synchronized void transport(Transport changed) {
    transport = changed;
  }

  /** Returns whether a device has completed on an I/O thread that also serves others. */
  public synchronized boolean completedInOtherRuns() {
    return lateRuns;
  }

  /** Allows I/O threads to send replies. Only the holder of the role may call this. */
  public synchronized void answerPromptly(NonBlockingTransport changed) {
    transport = changed;
    prompt = Optional.of(changed);
  }

  /**
   * Takes a reply. Only the holder of the role may call this, because it may have to send first.
   */
  public Reply acquire(int capacity) {
    int index = BufferPool.classOf(capacity);
    boolean room;
    synchronized (this) {
      room = queuedBytes < FLUSH_BYTES && roomFor(index);
      PooledReply shelved = room ? take(index) : null;
      if (shelved != null) {
        return shelved;
      }
    }
    return room ? made(index) : acquireAfterSending(index);
  }

  private PooledReply acquireAfterSending(int index) {
    IoThread.settle();
    drain(false);
    synchronized (this) {
      if (!roomFor(index)) {
        giveRoleBack();
        while (!roomFor(index) || sending) {
          pauseAsSender();
        }
        sending = true;
      }
      PooledReply shelved = take(index);
      if (shelved != null) {
        return shelved;
      }
    }
    return made(index);
  }

  /**
   * Creates a reply that is already counted. Runs without the monitor, because the pool may be
   * exhausted: threads that also serve other connections must still be able to queue completed
   * replies.
   */
  private PooledReply made(int index) {
    try {
      ByteBuffer buffer = pool.tryAcquire(index);
      return new PooledReply(this, buffer == null ? awaited(index) : buffer);
    } catch (RuntimeException | Error e) {
      uncount(index);
      throw e;
    }
  }

  // Without the role: the missing buffers may be those of replies that wait to be sent.
  private ByteBuffer awaited(int index) {
    IoThread.settle();
    drain(true);
    try {
      return pool.acquire(BufferPool.sizeOf(index));
    } finally {
      beginBatch();
    }
  }

  /** Takes a reply without waiting for the client. Any thread may call this. */
  public Optional<Reply> offer(int capacity) {
    int index = BufferPool.classOf(capacity);
    synchronized (this) {
      if (closed || broken || !roomFor(index)) {
        return Optional.empty();
      }
      PooledReply shelved = take(index);
      if (shelved != null) {
        return Optional.of(shelved);
      }
    }
    ByteBuffer buffer = pool.tryAcquire(index);
    if (buffer == null) {
      uncount(index);
      return Optional.empty();
    }
    return Optional.of(new PooledReply(this, buffer));
  }

  synchronized void enqueue(PooledReply reply) {
    if (broken) {
      recycle(reply);
      return;
    }
    reply.buffer().flip();
    queue.addLast(reply);
    queuedBytes += reply.buffer().remaining();
    if (!sending) {
      late();
    }
  }

  synchronized void recycle(PooledReply reply) {
    int index = reply.sizeClass();
    int size = BufferPool.sizeOf(index);
    taken--;
    takenBytes -= size;
    ArrayDeque<PooledReply> shelf = kept.get(index);
    reply.buffer().clear();
    boolean keep = !closed && !pool.wanted();
    if (keep && shelf.size() < KEPT_REPLIES && (shelf.size() + 1L) * size <= KEPT_BYTES) {
      shelf.addFirst(reply);
    } else {
      pool.release(reply.buffer());
    }
    if (!sending) {
      wakeSender();
    }
  }

  public synchronized boolean broken() {
    return broken;
  }

  /** Returns the watchdog's tick at which the running write began, or 0. */
  public int writingSince() {
    return writingSince;
  }

  /**
   * Ends the courier and returns all buffers; replies that are still taken are returned when they
   * end.
   */
  public synchronized void close() {
    closed = true;
    discardAll();
    releaseKept();
    notifyAll();
  }

  /** Returns kept buffers if others wait for them or none was taken since the last call. */
  public synchronized void trim() {
    if (!used || pool.wanted()) {
      releaseKept();
    }
    used = false;
  }

  private void releaseKept() {
    for (ArrayDeque<PooledReply> shelf : kept) {
      for (PooledReply reply : shelf) {
        pool.release(reply.buffer());
      }
      shelf.clear();
    }
  }

  private void late() {
    if (prompt.isPresent()) {
      if (!IoThread.defer(answer)) {
        wakeCourier();
      }
    } else {
      lateRuns |= Thread.currentThread() instanceof IoThread;
      wakeCourier();
    }
  }

  /** Sends the queued replies without waiting. */
  private void answer() {
    synchronized (this) {
      if (sending || broken) {
        return;
      }
      sending = true;
    }
    NonBlockingTransport current = prompt.get();
    int count = gatherOrGiveRoleBack();
    while (count > 0) {
      boolean all = true;
      boolean failed = false;
      try {
        all = current.offer(buffers, count);
      } catch (IOException e) {
        failed = true;
      }
      if (!all) {
        leaveToCourier(count);
        return;
      }
      written(count, failed);
      count = gatherOrGiveRoleBack();
    }
  }

  private synchronized void leaveToCourier(int count) {
    unsent = count;
    wakeCourier();
  }

  private synchronized int gatherOrGiveRoleBack() {
    int count = gather();
    if (count == 0) {
      giveRoleBack();
    }
    return count;
  }

  private boolean roomFor(int index) {
    return taken == 0
        || (taken < limits.replies()
            && takenBytes + BufferPool.sizeOf(index) <= limits.replyBytes());
  }

  // Counts a reply. Returns a kept one, or null when the caller must create one.
  private PooledReply take(int index) {
    used = true;
    taken++;
    takenBytes += BufferPool.sizeOf(index);
    return kept.get(index).pollFirst();
  }

  private synchronized void uncount(int index) {
    taken--;
    takenBytes -= BufferPool.sizeOf(index);
    wakeSender();
  }

  private void drain(boolean giveRoleBack) {
    while (true) {
      int count;
      Transport current;
      synchronized (this) {
        count = gather();
        if (count == 0) {
          if (giveRoleBack) {
            giveRoleBack();
          }
          return;
        }
        current = transport;
      }
      write(current, count);
    }
  }

  private int gather() {
    int count = 0;
    while (count < GATHER && !queue.isEmpty()) {
      PooledReply reply = queue.pollFirst();
      queuedBytes -= reply.buffer().remaining();
      gathered[count] = reply;
      buffers[count] = reply.buffer();
      count++;
    }
    return count;
  }

  private void write(Transport current, int count) {
    writingSince = watchdog.now();
    boolean failed = false;
    try {
      current.write(buffers, count);
    } catch (IOException e) {
      failed = true;
    }
    writingSince = 0;
    written(count, failed);
  }

  private synchronized void written(int count, boolean failed) {
    for (int i = 0; i < count; i++) {
      recycle(gathered[i]);
      gathered[i] = null;
      buffers[i] = null;
    }
    if (failed) {
      broken = true;
      discardAll();
    }
  }

  private void discardAll() {
    broken |= closed;
    while (!queue.isEmpty()) {
      recycle(queue.pollFirst());
    }
    queuedBytes = 0;
  }

  private void giveRoleBack() {
    sending = false;
    wakeSender();
    if (!queue.isEmpty()) {
      wakeCourier();
    }
  }

  /**
   * Does not wake the courier: most batches leave it no work, and waking it costs as much as a
   * batch.
   */
  private void wakeSender() {
    if (waitingSenders > 0) {
      notifyAll();
    }
  }

  private void pauseAsSender() {
    waitingSenders++;
    try {
      pause();
    } finally {
      waitingSenders--;
    }
  }

  private void wakeCourier() {
    if (!courier && !closed) {
      courier = true;
      threads.start(this::deliver, name + "-courier");
    }
    notifyAll();
  }

  private void deliver() {
    while (awaitWork()) {
      if (unsent > 0) {
        int count = unsent;
        unsent = 0;
        write(prompt.get(), count);
      }
      drain(true);
    }
  }

  // Unsent replies are taken even after the close, because their buffers must be returned.
  private synchronized boolean awaitWork() {
    while (unsent == 0 && !closed && (sending || queue.isEmpty())) {
      pause();
    }
    sending |= !closed;
    return unsent > 0 || !closed;
  }

  @SuppressWarnings("WaitNotInLoop") // Every caller loops on its own condition.
  private void pause() {
    try {
      wait();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(name + " was interrupted", e);
    }
  }
}

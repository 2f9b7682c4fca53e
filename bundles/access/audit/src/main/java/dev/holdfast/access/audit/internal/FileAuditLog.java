package dev.holdfast.access.audit.internal;

import dev.holdfast.access.audit.AuditFolder;
import dev.holdfast.audit.AuditEvent;
import dev.holdfast.audit.AuditLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes events to the files of a node on its own thread.
 *
 * <pre>
 *   record ──► queue of 8,192 ──► writer ──► audit.log
 *      │ full: lost, counted         │ fails: keeps the lines, tries again each second
 * </pre>
 *
 * <p>Lines reach the file normally within milliseconds; a power cut can lose the lines of the last
 * second. Thread-safe.
 */
final class FileAuditLog implements AuditLog, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FileAuditLog.class);
  private static final int QUEUE = 8192;
  private static final int BATCH = 256;
  private static final long LARGEST = 64L << 20;
  private static final long RETRY_MILLIS = 1000;
  private static final long STOP_MILLIS = 5000;

  private final RotatedFile file;
  private final BlockingQueue<Optional<AuditEvent>> queue;
  private final AtomicLong dropped = new AtomicLong();
  private final Thread writer;
  private volatile boolean required;
  private volatile boolean reads;
  private volatile boolean writable = true;

  FileAuditLog(AuditFolder folder) {
    this(folder, LARGEST, QUEUE);
  }

  /** Creates a log with other limits, for tests. */
  FileAuditLog(AuditFolder folder, long largest, int queued) {
    file = new RotatedFile(folder, largest);
    queue = new ArrayBlockingQueue<>(queued);
    writer = new Thread(this::write, "holdfast-audit");
    writer.setDaemon(true);
  }

  void start() {
    writer.start();
  }

  /** Applies the settings. */
  void configure(boolean newRequired, boolean newReads) {
    required = newRequired;
    reads = newReads;
  }

  @Override
  public void record(AuditEvent event) {
    if (!queue.offer(Optional.of(event))) {
      long lost = dropped.incrementAndGet();
      if (Long.bitCount(lost) == 1) {
        LOG.error("audit log: {} events lost: the file cannot be written fast enough", lost);
      }
    }
  }

  @Override
  public boolean refusesWrites() {
    return required && !writable;
  }

  @Override
  public boolean recordsReads() {
    return reads;
  }

  @Override
  public long dropped() {
    return dropped.get();
  }

  /** Returns whether the last attempt to write succeeded. */
  boolean isWritable() {
    return writable;
  }

  private void write() {
    List<Optional<AuditEvent>> batch = new ArrayList<>();
    try {
      // Checks at the start whether the file is writable.
      append(batch);
      boolean last = false;
      while (!last) {
        batch.add(queue.take());
        queue.drainTo(batch, BATCH - 1);
        last = batch.contains(Optional.<AuditEvent>empty());
        append(batch);
        batch.clear();
      }
    } catch (InterruptedException e) {
      LOG.error("audit log: events that waited for the file are lost, the node stops");
    }
    end();
  }

  /** Appends events, and retries until the file accepts them. */
  private void append(List<Optional<AuditEvent>> batch) throws InterruptedException {
    StringBuilder lines = new StringBuilder();
    for (Optional<AuditEvent> event : batch) {
      event.ifPresent(present -> lines.append(AuditJson.line(present)).append('\n'));
    }
    byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
    while (!appended(bytes)) {
      TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
    }
  }

  private boolean appended(byte[] lines) {
    try {
      file.append(lines);
      if (!writable) {
        writable = true;
        LOG.info("audit log: can be written again");
      }
      return true;
    } catch (IOException e) {
      if (writable) {
        writable = false;
        LOG.error("audit log: could not write, trying again each second: {}", e.toString());
      }
      return false;
    }
  }

  private void end() {
    try {
      file.sync();
      file.close();
    } catch (IOException e) {
      LOG.error("audit log: could not close: {}", e.toString());
    }
  }

  /** Writes the waiting events for at most 5 s, and stops. */
  @Override
  public void close() {
    try {
      // Marks the end of the queue.
      boolean unused = queue.offer(Optional.empty(), STOP_MILLIS, TimeUnit.MILLISECONDS);
      writer.join(STOP_MILLIS);
      if (writer.isAlive()) {
        writer.interrupt();
        writer.join(STOP_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}

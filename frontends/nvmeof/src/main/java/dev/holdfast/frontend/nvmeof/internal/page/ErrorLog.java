package dev.holdfast.frontend.nvmeof.internal.page;

import java.util.ArrayDeque;
import java.util.Deque;

/** The latest errors of a controller, the newest first (Base 2.0, 5.16.1.2). Thread-safe. */
public final class ErrorLog {
  /** Number of errors that are kept. */
  public static final int ENTRIES = 16;

  private static final int ENTRY = 64;

  private final Deque<Entry> entries = new ArrayDeque<>();
  private long count;

  private record Entry(long number, int queue, int command, int status, long block) {}

  /** Records an error. */
  public synchronized void add(int queue, int command, int status, long block) {
    entries.addFirst(new Entry(++count, queue, command, status, block));
    if (entries.size() > ENTRIES) {
      entries.removeLast();
    }
  }

  /** Returns the number of errors so far. */
  public synchronized long count() {
    return count;
  }

  /** Returns the page. */
  public synchronized byte[] bytes() {
    PageBuilder page = new PageBuilder(ENTRIES * ENTRY);
    int at = 0;
    for (Entry entry : entries) {
      page.put64(at, entry.number()).put16(at + 8, entry.queue()).put16(at + 10, entry.command());
      page.put16(at + 12, entry.status() << 1).put16(at + 14, 0xffff);
      page.put64(at + 16, entry.block()).put32(at + 24, NamespacePage.NAMESPACE);
      at += ENTRY;
    }
    return page.bytes();
  }
}

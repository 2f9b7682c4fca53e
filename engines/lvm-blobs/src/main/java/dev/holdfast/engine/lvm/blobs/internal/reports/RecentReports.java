package dev.holdfast.engine.lvm.blobs.internal.reports;

import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The last report about each of several objects, which callers share for some time. Callers that
 * need one at the same time wait for the same one. Thread-safe.
 *
 * @param <T> kind of report
 */
public final class RecentReports<T> {
  private final LongSupplier nanoTime;
  private final Duration age;
  private final Map<String, Subject<T>> subjects = new ConcurrentHashMap<>();

  /** Makes a report. */
  public interface Source<T> {
    T report() throws StorageException;
  }

  /** A report, when it was complete, and how many changes had been announced before it began. */
  private record Taken<T>(T report, long at, long changes) {}

  /** One object of reports. */
  private static final class Subject<T> {
    private final AtomicLong changes = new AtomicLong();
    private volatile Taken<T> last;
  }

  /**
   * Shares reports.
   *
   * @param nanoTime a clock that never goes back, such as {@link System#nanoTime}
   * @param age how long a report is shared after it was complete; zero to share none
   */
  public RecentReports(LongSupplier nanoTime, Duration age) {
    this.nanoTime = nanoTime;
    this.age = age;
  }

  private Subject<T> subject(String name) {
    return subjects.computeIfAbsent(name, any -> new Subject<>());
  }

  /** Makes a report, which others may share from now on. */
  public T fresh(String name, Source<T> source) throws StorageException {
    Subject<T> subject = subject(name);
    long changes = subject.changes.get();
    T report = source.report();
    subject.last = new Taken<>(report, nanoTime.getAsLong(), changes);
    return report;
  }

  /** Returns the last report, or a fresh one when that is too old or older than a change. */
  public T recent(String name, Source<T> source) throws StorageException {
    return recent(name, age, source);
  }

  /** As the other, but for the age of the report. */
  public T recent(String name, Duration limit, Source<T> source) throws StorageException {
    synchronized (subject(name)) {
      Optional<T> last = last(name, limit);
      return last.isPresent() ? last.get() : fresh(name, source);
    }
  }

  /** Returns the last report, however old it is. */
  public Optional<T> earlier(String name) {
    return Optional.ofNullable(subject(name).last).map(Taken::report);
  }

  /** Returns the last report; empty when it is too old or older than a change. */
  public Optional<T> last(String name, Duration limit) {
    Subject<T> subject = subject(name);
    Taken<T> last = subject.last;
    boolean current =
        last != null
            && last.changes() == subject.changes.get()
            && nanoTime.getAsLong() - last.at() < limit.toNanos();
    return current ? Optional.of(last.report()) : Optional.empty();
  }

  /** Announces that this process has changed an object: reports from before are not shared. */
  public void changed(String name) {
    long unused = subject(name).changes.incrementAndGet();
  }
}

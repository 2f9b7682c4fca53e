package dev.holdfast.datapath;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Suppresses repeated failure reports. Thread-safe. */
public final class ReportedFailures {
  private final Map<String, String> told = new ConcurrentHashMap<>();

  /** Returns whether a subject fails otherwise than it did, and remembers how. */
  public boolean isNews(String subject, String failure) {
    return !failure.equals(told.put(subject, failure));
  }

  /**
   * A subject succeeded, or is gone: its next failure is news.
   *
   * @return whether people were told of a failure
   */
  public boolean forget(String subject) {
    return told.remove(subject) != null;
  }
}

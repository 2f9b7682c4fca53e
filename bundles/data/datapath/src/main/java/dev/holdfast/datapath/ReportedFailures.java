package dev.holdfast.datapath;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Suppresses repeated failure reports. Thread-safe. */
public final class ReportedFailures {
  private final Map<String, String> told = new ConcurrentHashMap<>();

  /** Returns whether a failure of a subject differs from its last one, and records it. */
  public boolean isNews(String subject, String failure) {
    return !failure.equals(told.put(subject, failure));
  }

  /**
   * Forgets a subject that succeeded or was removed, so that its next failure is reported.
   *
   * @return whether a failure had been reported
   */
  public boolean forget(String subject) {
    return told.remove(subject) != null;
  }
}

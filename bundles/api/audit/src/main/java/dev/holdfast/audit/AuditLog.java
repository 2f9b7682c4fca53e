package dev.holdfast.audit;

import org.osgi.annotation.versioning.ProviderType;

/** The audit log of this node. A service. Thread-safe; no method waits for the file or throws. */
@ProviderType
public interface AuditLog {
  /**
   * Takes an event, which a thread of the log writes. While the file cannot be written, events wait
   * in a queue of limited length; after that they are lost and counted.
   *
   * @param event to record, not null
   */
  void record(AuditEvent event);

  /**
   * Returns whether requests that change something must be refused, because events must be kept and
   * the file cannot be written.
   */
  boolean refusesWrites();

  /** Returns whether requests that only read are recorded too. */
  boolean recordsReads();

  /** Returns how many events were lost since the start, at least 0. */
  long dropped();
}

package dev.holdfast.audit;

import org.osgi.annotation.versioning.ProviderType;

/**
 * The audit log of this node. A service. Thread-safe; methods do not wait for the file and do not
 * throw.
 */
@ProviderType
public interface AuditLog {
  /**
   * Accepts an event, which a thread of the log writes to the file. While the file cannot be
   * written, events wait in a queue of limited length; events beyond that limit are lost and
   * counted.
   *
   * @param event to record, not null
   */
  void record(AuditEvent event);

  /**
   * Returns whether requests that change resources must be refused. This is so while the file
   * cannot be written and the configuration forbids lost events.
   */
  boolean refusesWrites();

  /** Returns whether read-only requests are recorded too. */
  boolean recordsReads();

  /** Returns the number of events lost since the start, at least 0. */
  long dropped();
}

package dev.holdfast.apiserver.internal;

import dev.holdfast.audit.AuditEvent;
import dev.holdfast.audit.AuditLog;

/** An audit log that records nothing, for servers outside of the container. */
final class NoAuditLog implements AuditLog {
  @Override
  public void record(AuditEvent event) {
    // Nothing to do.
  }

  @Override
  public boolean refusesWrites() {
    return false;
  }

  @Override
  public boolean recordsReads() {
    return false;
  }

  @Override
  public long dropped() {
    return 0;
  }
}

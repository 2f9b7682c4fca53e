package dev.holdfast.apiserver.internal;

import dev.holdfast.audit.AuditEvent;
import dev.holdfast.audit.AuditLog;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps events in memory. */
final class KeptAuditLog implements AuditLog {
  private final List<AuditEvent> events = new CopyOnWriteArrayList<>();
  private volatile boolean broken;
  private volatile boolean reads;

  List<AuditEvent> events() {
    return List.copyOf(events);
  }

  void forget() {
    events.clear();
  }

  void refuseWrites(boolean refuse) {
    broken = refuse;
  }

  void recordReads() {
    reads = true;
  }

  @Override
  public void record(AuditEvent event) {
    events.add(event);
  }

  @Override
  public boolean refusesWrites() {
    return broken;
  }

  @Override
  public boolean recordsReads() {
    return reads;
  }

  @Override
  public long dropped() {
    return 0;
  }
}

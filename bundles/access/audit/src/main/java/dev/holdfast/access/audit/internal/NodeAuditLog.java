package dev.holdfast.access.audit.internal;

import dev.holdfast.access.audit.AuditFolder;
import dev.holdfast.audit.AuditEvent;
import dev.holdfast.audit.AuditLog;
import java.nio.file.Path;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/** The audit log of a node, as a service. */
@Component(service = {AuditLog.class, NodeAuditLog.class})
public final class NodeAuditLog implements AuditLog {
  private final FileAuditLog log;

  /** Starts the log below the state directory of the node. */
  @Activate
  public NodeAuditLog(BundleContext context) {
    String data =
        Optional.ofNullable(context.getProperty("holdfast.data"))
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "holdfast.data is not set: it names the state directory"));
    log = new FileAuditLog(AuditFolder.ofNode(Path.of(data)));
    log.start();
  }

  @Override
  public void record(AuditEvent event) {
    log.record(event);
  }

  @Override
  public boolean refusesWrites() {
    return log.refusesWrites();
  }

  @Override
  public boolean recordsReads() {
    return log.recordsReads();
  }

  @Override
  public long dropped() {
    return log.dropped();
  }

  FileAuditLog log() {
    return log;
  }

  /** Writes the waiting events and stops. */
  @Deactivate
  public void close() {
    log.close();
  }
}

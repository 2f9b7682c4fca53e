package dev.holdfast.access.audit.internal;

import dev.holdfast.controller.OwnNodeReconciler;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.node.Node;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Passes the settings to the audit log, and reports in the condition {@code AuditWritten} of this
 * node when lines cannot be written or were lost.
 */
@Component(service = Reconciler.class)
public final class AuditReconciler implements OwnNodeReconciler {
  static final String WRITTEN = "AuditWritten";
  private static final Duration PERIOD = Duration.ofSeconds(10);

  private final FileAuditLog log;

  /** Configures the log of this node. */
  @Activate
  public AuditReconciler(@Reference NodeAuditLog log) {
    this(log.log());
  }

  AuditReconciler(FileAuditLog log) {
    this.log = log;
  }

  @Override
  public String name() {
    return "audit";
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(Watched.wakingAll(Setting.KIND));
  }

  @Override
  public Result reconcileOwn(ReconcileContext context) throws StorageException {
    Optional<Node> found = context.get(Node.KIND, context.nodeName());
    if (found.isEmpty()) {
      return Result.DONE;
    }
    log.configure(
        isSet(PlatformSettings.AUDIT_REQUIRED, context),
        isSet(PlatformSettings.AUDIT_READS, context));
    Node node = found.get();
    List<Condition> before = node.status().conditions();
    List<Condition> after = conditions(before, context);
    if (!after.equals(before)) {
      Node unused =
          context.store().updateStatus(node.withStatus(node.status().withConditions(after)));
    }
    return Result.after(PERIOD);
  }

  private static boolean isSet(SettingDefinition setting, ReconcileContext context) {
    return setting.isOn(context.get(Setting.KIND, setting.name()));
  }

  private List<Condition> conditions(List<Condition> before, ReconcileContext context) {
    if (!log.isWritable()) {
      return with(
          before,
          Condition.Status.FALSE,
          "FileNotWritable",
          "the audit log cannot be written: see the log of the node",
          context);
    } else if (log.dropped() > 0) {
      return with(
          before,
          Condition.Status.FALSE,
          "EventsLost",
          log.dropped() + " events were lost since the node started",
          context);
    } else if (Condition.find(before, WRITTEN).isEmpty()) {
      return before;
    }
    return with(before, Condition.Status.TRUE, "Written", "", context);
  }

  private static List<Condition> with(
      List<Condition> before,
      Condition.Status status,
      String reason,
      String message,
      ReconcileContext context) {
    return Condition.with(before, WRITTEN, status, reason, message, context.clock().instant());
  }
}

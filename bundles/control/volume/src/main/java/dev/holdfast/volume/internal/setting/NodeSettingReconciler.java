package dev.holdfast.volume.internal.setting;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingDefinitions;
import dev.holdfast.resource.cluster.SettingReport;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/**
 * Creates missing settings that the bundles of this node read, without a value, and reports their
 * state on this node in each setting.
 */
@Component(service = Reconciler.class)
public final class NodeSettingReconciler implements Reconciler<Node> {
  /**
   * Time for which a missing definition is not reported, because bundles start and stop in sequence
   * and each change creates a new reconciler.
   */
  private static final Duration SETTLING = Duration.ofSeconds(30);

  private final List<SettingDefinitions> bundles;
  private final AtomicReference<Optional<Instant>> first = new AtomicReference<>(Optional.empty());

  /** Creates the reports for the bundles of this node. */
  @Activate
  public NodeSettingReconciler(
      @Reference(policyOption = ReferencePolicyOption.GREEDY) List<SettingDefinitions> bundles) {
    this.bundles = List.copyOf(bundles);
  }

  @Override
  public String name() {
    return "node-setting";
  }

  @Override
  public ResourceKind<Node> kind() {
    return Node.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(Watched.wakingAll(Setting.KIND));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    if (!name.equals(context.nodeName()) || context.get(Node.KIND, name).isEmpty()) {
      return Result.DONE;
    }
    Instant now = context.clock().instant();
    Instant start = first.updateAndGet(known -> known.or(() -> Optional.of(now))).orElse(now);
    boolean settled = !now.isBefore(start.plus(SETTLING));
    for (SettingDefinitions bundle : bundles) {
      for (SettingDefinition definition : bundle.definitions()) {
        createMissing(definition.name(), context);
      }
    }
    for (Setting setting : context.list(Setting.KIND, LabelSelector.ALL)) {
      report(setting, settled, context);
    }
    return settled ? Result.DONE : Result.after(SETTLING);
  }

  private static void createMissing(String name, ReconcileContext context) throws StorageException {
    if (context.get(Setting.KIND, name).isPresent()) {
      return;
    }
    try {
      Setting unused = context.store().create(Setting.of(name, SettingSpec.EMPTY));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
  }

  private void report(Setting cached, boolean settled, ReconcileContext context)
      throws StorageException {
    Optional<SettingDefinition> definition = SettingReports.definition(bundles, cached.name());
    if ((definition.isEmpty() && !settled) || isReported(cached, definition, context)) {
      return;
    }
    Optional<Setting> stored = context.store().get(Setting.KIND, cached.name());
    if (stored.isPresent() && !isReported(stored.get(), definition, context)) {
      SettingReport report = SettingReports.of(context.nodeName(), stored.get(), definition);
      Setting unused =
          context
              .store()
              .updateStatus(
                  stored.get().withStatus(SettingReports.with(stored.get().status(), report)));
    }
  }

  private static boolean isReported(
      Setting setting, Optional<SettingDefinition> definition, ReconcileContext context) {
    return setting
        .status()
        .nodes()
        .contains(SettingReports.of(context.nodeName(), setting, definition));
  }
}

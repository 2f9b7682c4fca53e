package dev.holdfast.volume.internal.setting;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingDefinitions;
import dev.holdfast.resource.cluster.SettingReport;
import dev.holdfast.resource.cluster.SettingStatus;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/**
 * Describes each setting in its status: the value in force, the default, the allowed values, and
 * whether all nodes apply it. An invalid or unknown setting remains unchanged and causes a warning
 * event.
 */
@Component(service = Reconciler.class)
public final class SettingReconciler implements Reconciler<Setting> {
  private final List<SettingDefinitions> bundles;

  /** Describes the settings of the bundles of this node. */
  @Activate
  public SettingReconciler(
      @Reference(policyOption = ReferencePolicyOption.GREEDY) List<SettingDefinitions> bundles) {
    this.bundles = List.copyOf(bundles);
  }

  @Override
  public String name() {
    return "setting";
  }

  @Override
  public ResourceKind<Setting> kind() {
    return Setting.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(Watched.wakingAll(Node.KIND));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Setting> cached = context.get(Setting.KIND, name);
    if (cached.isEmpty()) {
      return Result.DONE;
    }
    SettingReport own =
        SettingReports.of(
            context.nodeName(), cached.get(), SettingReports.definition(bundles, name));
    if (Set.of(SettingReport.INVALID_VALUE, SettingReport.UNKNOWN_SETTING).contains(own.reason())) {
      context.events().warning(cached.get(), "NotApplied", "has no effect: " + own.message());
    }
    if (!cached.get().status().equals(summary(cached.get(), context))) {
      Optional<Setting> stored = context.store().get(Setting.KIND, name);
      if (stored.isPresent()) {
        Setting unused =
            context.store().updateStatus(stored.get().withStatus(summary(stored.get(), context)));
      }
    }
    return Result.DONE;
  }

  private SettingStatus summary(Setting setting, ReconcileContext context) {
    Set<String> nodes =
        context.list(Node.KIND, LabelSelector.ALL).stream()
            .map(Node::name)
            .collect(Collectors.toSet());
    return SettingReports.summary(
        setting, SettingReports.definition(bundles, setting.name()), nodes);
  }
}

package dev.holdfast.volume.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Setting;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Reports which settings are in force. A store refuses a wrong one; one that was written before
 * that, or past this system, stays as it is, has no effect, and is reported by an event. Settings
 * of plugins from elsewhere are left to them.
 */
@Component(service = Reconciler.class)
public final class SettingReconciler implements Reconciler<Setting> {
  /** Creates the reconciler. */
  @Activate
  public SettingReconciler() {}

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
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Setting> cached = context.get(Setting.KIND, name);
    if (cached.isEmpty() || cached.get().isOfPlugin()) {
      return Result.DONE;
    }
    Optional<String> fault = fault(cached.get());
    if (fault.isPresent()) {
      context.events().warning(cached.get(), "NotApplied", fault.get());
    }
    if (cached.get().status().applied() == fault.isPresent()) {
      report(name, context);
    }
    return Result.DONE;
  }

  private static void report(String name, ReconcileContext context) throws StorageException {
    Optional<Setting> stored = context.store().get(Setting.KIND, name);
    if (stored.isPresent()) {
      Setting setting = stored.get();
      boolean applied = fault(setting).isEmpty();
      if (setting.status().applied() != applied) {
        context.store().updateStatus(setting.withStatus(setting.status().withApplied(applied)));
      }
    }
  }

  private static Optional<String> fault(Setting setting) {
    List<FieldError> errors = setting.validate();
    if (!errors.isEmpty()) {
      return Optional.of(
          errors.stream()
              .map(error -> error.field() + ": " + error.message())
              .collect(Collectors.joining("; ", "has no effect: ", "")));
    }
    return Optional.of(
            "has no effect: no setting of this name is read; the nearest one is "
                + setting.nearestKnown())
        .filter(text -> !setting.isKnown());
  }
}

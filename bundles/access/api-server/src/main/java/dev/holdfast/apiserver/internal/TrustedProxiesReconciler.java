package dev.holdfast.apiserver.internal;

import dev.holdfast.controller.OwnNodeReconciler;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Watched;
import dev.holdfast.http.TrustedProxies;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingDefinition;
import dev.holdfast.resource.cluster.SettingDefinitions;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Declares the setting {@code trusted-proxies}, and passes it to the API server of each node. */
@Component(service = {Reconciler.class, SettingDefinitions.class})
public final class TrustedProxiesReconciler implements OwnNodeReconciler, SettingDefinitions {
  private static final Logger LOG = LoggerFactory.getLogger(TrustedProxiesReconciler.class);

  private final ApiServerComponent server;

  /** Configures the server of this node. */
  @Activate
  public TrustedProxiesReconciler(@Reference ApiServerComponent server) {
    this.server = server;
  }

  @Override
  public List<SettingDefinition> definitions() {
    return List.of(PlatformSettings.TRUSTED_PROXIES);
  }

  @Override
  public String name() {
    return "trusted-proxies";
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(Watched.wakingAll(Setting.KIND));
  }

  @Override
  public Result reconcileOwn(ReconcileContext context) {
    SettingDefinition setting = PlatformSettings.TRUSTED_PROXIES;
    String value = setting.effective(context.get(Setting.KIND, setting.name()));
    try {
      server.trust(TrustedProxies.of(value));
    } catch (IllegalArgumentException e) {
      LOG.warn("setting {}: no proxy is trusted: {}", setting.name(), e.getMessage());
      server.trust(TrustedProxies.NONE);
    }
    return Result.DONE;
  }
}

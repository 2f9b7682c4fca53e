package dev.holdfast.oidc.internal;

import dev.holdfast.controller.OwnNodeReconciler;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Watched;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingDefinition;
import java.util.List;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Passes the settings to the identity provider on each node. */
@Component(service = Reconciler.class)
public final class OidcReconciler implements OwnNodeReconciler {
  private final OidcIdentityProvider provider;

  /** Configures the provider of this node. */
  @Activate
  public OidcReconciler(@Reference OidcIdentityProvider provider) {
    this.provider = provider;
  }

  @Override
  public String name() {
    return "oidc";
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(Watched.wakingAll(Setting.KIND));
  }

  @Override
  public Result reconcileOwn(ReconcileContext context) {
    provider.configure(
        new OidcSettings(
            value(PlatformSettings.OIDC_ISSUER, context),
            value(PlatformSettings.OIDC_CLIENT, context),
            value(PlatformSettings.OIDC_NAME, context),
            value(PlatformSettings.OIDC_GROUPS, context)));
    return Result.DONE;
  }

  private static String value(SettingDefinition setting, ReconcileContext context) {
    return setting.effective(context.get(Setting.KIND, setting.name()));
  }
}

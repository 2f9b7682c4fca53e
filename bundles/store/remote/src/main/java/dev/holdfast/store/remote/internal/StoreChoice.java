package dev.holdfast.store.remote.internal;

import org.osgi.framework.BundleContext;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Starts this store if {@code holdfast.store} selects it, on a node that joined a cluster. */
@Component(immediate = true, service = StoreChoice.class)
public final class StoreChoice {
  /** Enables the store if it is selected. */
  @Activate
  public StoreChoice(ComponentContext components, BundleContext context) {
    String chosen = context.getProperty("holdfast.store");
    if ("remote".equals(chosen)) {
      components.enableComponent(RemoteStoreComponent.NAME);
      components.enableComponent(MemberCertificateRenewal.NAME);
    }
  }
}

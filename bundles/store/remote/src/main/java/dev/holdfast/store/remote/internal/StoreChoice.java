package dev.holdfast.store.remote.internal;

import org.osgi.framework.BundleContext;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Starts this store where {@code holdfast.store} chooses it: a node that joined a cluster. */
@Component(immediate = true, service = StoreChoice.class)
public final class StoreChoice {
  /** Enables the store, or leaves it to the one that is chosen. */
  @Activate
  public StoreChoice(ComponentContext components, BundleContext context) {
    String chosen = context.getProperty("holdfast.store");
    if ("remote".equals(chosen)) {
      components.enableComponent(RemoteStoreComponent.NAME);
      components.enableComponent(MemberCertificateRenewal.NAME);
    }
  }
}

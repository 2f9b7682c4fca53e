package dev.holdfast.store.kubernetes.internal;

import org.osgi.framework.BundleContext;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Starts this store if {@code holdfast.store} selects it. */
@Component(immediate = true, service = StoreChoice.class)
public final class StoreChoice {
  /** Enables the store if it is selected. */
  @Activate
  public StoreChoice(ComponentContext components, BundleContext context) {
    if ("kubernetes".equals(context.getProperty("holdfast.store"))) {
      components.enableComponent(KubernetesStoreComponent.NAME);
    }
  }
}

package dev.holdfast.store.embedded.internal;

import org.osgi.framework.BundleContext;
import org.osgi.service.component.ComponentContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/** Starts this store if {@code holdfast.store} selects it, which is the default. */
@Component(immediate = true, service = StoreChoice.class)
public final class StoreChoice {
  /** Enables the store if it is selected. */
  @Activate
  public StoreChoice(ComponentContext components, BundleContext context) {
    String chosen = context.getProperty("holdfast.store");
    if (chosen == null || chosen.isBlank() || chosen.equals("embedded")) {
      components.enableComponent(EmbeddedStoreComponent.NAME);
    }
  }
}

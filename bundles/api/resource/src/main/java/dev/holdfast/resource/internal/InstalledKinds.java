package dev.holdfast.resource.internal;

import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.KindProvider;
import dev.holdfast.resource.ResourceKind;
import java.util.ArrayList;
import java.util.List;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/**
 * The kinds of the active bundles. If two versions of a bundle declare the same kind, the first one
 * is used.
 */
@Component
public final class InstalledKinds implements KindCatalogue {
  private final List<KindProvider> providers = new ArrayList<>();
  private volatile KindCatalogue present = KindCatalogue.of(List.of());

  /** Adds the kinds of a starting bundle. */
  @Reference(cardinality = ReferenceCardinality.AT_LEAST_ONE, policy = ReferencePolicy.DYNAMIC)
  public synchronized void addProvider(KindProvider provider) {
    providers.add(provider);
    present = KindCatalogue.of(providers);
  }

  /** Removes the kinds of a stopping bundle. */
  public synchronized void removeProvider(KindProvider provider) {
    providers.remove(provider);
    present = KindCatalogue.of(providers);
  }

  @Override
  public List<ResourceKind<?>> kinds() {
    return present.kinds();
  }
}

package dev.holdfast.store.records.internal;

import dev.holdfast.engine.EngineProvider;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.upgrade.PluginOrigin;
import dev.holdfast.upgrade.PluginOwners;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records which bundle offers which engine. A name belongs to one bundle, by the rules of {@link
 * PluginOwners}; the records of an engine belong to the owner of its name. Thread-safe.
 */
@Component(service = RecordOwners.class, immediate = true)
public final class RecordOwners {
  private static final Logger LOG = LoggerFactory.getLogger(RecordOwners.class);

  private final PluginOwners<EngineProvider> owners;

  // Guarded by this.
  private final Map<EngineProvider, Offer> offers = new LinkedHashMap<>();

  private record Offer(long bundle, String name) {}

  /** Creates an object without engines. */
  @Activate
  public RecordOwners(BundleContext context) {
    this(
        symbolicName ->
            Arrays.stream(context.getBundles())
                .anyMatch(bundle -> symbolicName.equals(bundle.getSymbolicName())));
  }

  RecordOwners(Predicate<String> installed) {
    owners = new PluginOwners<>("engine", installed, InstantSource.system(), LOG::debug);
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void bindEngine(ServiceReference<EngineProvider> reference, EngineProvider engine) {
    Bundle bundle = reference.getBundle();
    if (bundle != null) {
      add(
          engine,
          new PluginOrigin(
              bundle.getBundleId(), bundle.getSymbolicName(), bundle.getVersion().toString()));
    }
  }

  void unbindEngine(ServiceReference<EngineProvider> reference, EngineProvider engine) {
    remove(engine);
  }

  void add(EngineProvider engine, PluginOrigin origin) {
    String name = engine.name();
    synchronized (this) {
      offers.put(engine, new Offer(origin.bundle(), name));
    }
    var unused = owners.add(engine, name, origin);
  }

  void remove(EngineProvider engine) {
    owners.remove(engine);
    synchronized (this) {
      offers.remove(engine);
    }
  }

  /**
   * Returns the name of the engine that a bundle offers.
   *
   * @param bundle number of the bundle
   * @throws StorageException INVALID when the bundle offers none or several; FORBIDDEN when the
   *     name belongs to another bundle
   */
  synchronized String engineOf(long bundle) throws StorageException {
    Set<String> names = new TreeSet<>();
    boolean admitted = false;
    for (Map.Entry<EngineProvider, Offer> offer : offers.entrySet()) {
      if (offer.getValue().bundle() == bundle) {
        names.add(offer.getValue().name());
        admitted |= owners.admits(offer.getKey());
      }
    }
    if (names.size() != 1) {
      throw new StorageException(
          ErrorCode.INVALID,
          "bundle "
              + bundle
              + " offers "
              + (names.isEmpty() ? "no engine" : "the engines " + String.join(", ", names))
              + ": only a bundle with exactly one registered EngineProvider has records");
    }
    String name = names.iterator().next();
    if (!admitted) {
      throw new StorageException(
          ErrorCode.FORBIDDEN,
          "bundle "
              + bundle
              + " may not use the records of engine "
              + name
              + ": the name belongs to another bundle: choose another name");
    }
    return name;
  }
}

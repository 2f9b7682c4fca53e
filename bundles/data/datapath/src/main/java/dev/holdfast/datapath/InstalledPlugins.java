package dev.holdfast.datapath;

import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.BundleTroubles;
import dev.holdfast.upgrade.PluginOrigin;
import dev.holdfast.upgrade.PluginOwners;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Predicate;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.Version;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The installed engines and frontends. An engine whose name belongs to another bundle is refused:
 * it is reported, and volumes do not use it. The portal refuses frontends.
 */
@Component(service = {InstalledPlugins.class, BundleTroubles.class})
public final class InstalledPlugins implements BundleTroubles {
  private static final Logger LOG = LoggerFactory.getLogger(InstalledPlugins.class);

  private final PluginOwners<EngineProvider> owners;
  private final List<InstalledEngine> engines = new CopyOnWriteArrayList<>();
  private final List<FrontendProvider> frontends = new CopyOnWriteArrayList<>();
  private final List<Observer> observers = new CopyOnWriteArrayList<>();

  /** Receives added and removed plugins. */
  public interface Observer {
    /** An engine became available. */
    void engineArrived(String name);

    /** A frontend became available. */
    void frontendArrived();

    /** An engine is being removed: the observer stops using it before this returns. */
    void engineLeaving(EngineProvider engine);
  }

  /** Creates an object without plugins. */
  @Activate
  public InstalledPlugins(BundleContext context) {
    this(
        symbolicName ->
            Arrays.stream(context.getBundles())
                .anyMatch(bundle -> symbolicName.equals(bundle.getSymbolicName())));
  }

  /** Creates an object without plugins that treats the owner of each name as installed. */
  public InstalledPlugins() {
    this(symbolicName -> true);
  }

  InstalledPlugins(Predicate<String> installed) {
    this.owners = new PluginOwners<>("engine", installed, InstantSource.system(), LOG::warn);
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void bindEngine(ServiceReference<EngineProvider> reference, EngineProvider engine) {
    add(InstalledEngine.of(reference, engine));
  }

  void unbindEngine(ServiceReference<EngineProvider> reference, EngineProvider engine) {
    removeEngine(engine);
  }

  /** Adds an engine that no bundle offers, for use without OSGi. */
  public void addEngine(EngineProvider engine) {
    add(new InstalledEngine(engine, 0, "", Version.emptyVersion, 0));
  }

  /** Adds an engine, and reports it and the engines that it replaces to the observers. */
  public void add(InstalledEngine added) {
    EngineProvider engine = added.engine();
    String name = engine.name();
    engines.add(added);
    List<EngineProvider> dismissed = owners.add(engine, name, origin(added));
    dismissed.forEach(other -> observers.forEach(observer -> observer.engineLeaving(other)));
    if (owners.admits(engine)) {
      observers.forEach(observer -> observer.engineArrived(name));
    }
  }

  private static PluginOrigin origin(InstalledEngine engine) {
    return new PluginOrigin(engine.bundle(), engine.symbolicName(), engine.version().toString());
  }

  /** Removes an engine; returns when the observers have stopped using it. */
  public void removeEngine(EngineProvider engine) {
    owners.remove(engine);
    engines.removeIf(installed -> installed.engine() == engine);
    observers.forEach(observer -> observer.engineLeaving(engine));
    if (engine(engine.name()).isPresent()) {
      observers.forEach(observer -> observer.engineArrived(engine.name()));
    }
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addFrontend(FrontendProvider frontend) {
    frontends.add(frontend);
    observers.forEach(Observer::frontendArrived);
  }

  void removeFrontend(FrontendProvider frontend) {
    frontends.remove(frontend);
  }

  /** Adds an observer of later changes. */
  public void addObserver(Observer observer) {
    observers.add(observer);
  }

  /** Removes an observer. */
  public void removeObserver(Observer observer) {
    observers.remove(observer);
  }

  /** Returns the preferred engine of this name. */
  public Optional<EngineProvider> engine(String name) {
    List<InstalledEngine> all = engines(name);
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1).engine());
  }

  /** Returns whether the engine that serves an attached volume is installed. */
  public boolean hasEngineOf(Engine engine) {
    return engine(engine.spec().dataEngine()).isPresent();
  }

  /** Returns all engines of this name that are not refused, the preferred one last. */
  public List<InstalledEngine> engines(String name) {
    List<InstalledEngine> ordered = new ArrayList<>();
    for (InstalledEngine engine : engines) {
      if (engine.engine().name().equals(name) && owners.admits(engine.engine())) {
        int at = ordered.size();
        while (at > 0 && engine.isBefore(ordered.get(at - 1))) {
          at--;
        }
        ordered.add(at, engine);
      }
    }
    return ordered;
  }

  /** Returns the bundle data of an engine; empty when it is not installed. */
  public Optional<InstalledEngine> installed(EngineProvider engine) {
    return engines.stream().filter(installed -> installed.engine() == engine).findFirst();
  }

  /** Returns the names of the engines that are not refused, in order. */
  public List<String> engineNames() {
    List<EngineProvider> admitted =
        engines.stream().map(InstalledEngine::engine).filter(owners::admits).toList();
    return names(admitted, EngineProvider::name);
  }

  /** Returns the capabilities of each engine, by its name. */
  public Map<String, List<String>> engineCapabilities() {
    Map<String, List<String>> capabilities = new TreeMap<>();
    for (String name : engineNames()) {
      engine(name)
          .ifPresent(
              engine ->
                  capabilities.put(
                      name, engine.capabilities().stream().map(Enum::name).sorted().toList()));
    }
    return capabilities;
  }

  /** Returns the protocols by which each engine exports its volumes, by its name. */
  public Map<String, List<String>> nativeProtocols() {
    Map<String, List<String>> protocols = new TreeMap<>();
    for (String name : engineNames()) {
      engine(name)
          .filter(engine -> engine.capabilities().contains(EngineCapability.NATIVE_EXPORT))
          .map(EngineProvider::nativeProtocols)
          .filter(declared -> !declared.isEmpty())
          .ifPresent(declared -> protocols.put(name, declared.stream().sorted().toList()));
    }
    return protocols;
  }

  /** Returns the names of the frontends, in order. */
  public List<String> frontendNames() {
    return names(frontends, FrontendProvider::name);
  }

  @Override
  public List<BundleTrouble> troubles() {
    return owners.troubles();
  }

  private static <T> List<String> names(List<T> plugins, Function<T, String> name) {
    return plugins.stream().map(name).distinct().sorted().toList();
  }
}

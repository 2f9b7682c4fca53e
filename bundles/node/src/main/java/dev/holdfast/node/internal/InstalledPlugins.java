package dev.holdfast.node.internal;

import dev.holdfast.engine.Engine;
import dev.holdfast.frontend.Frontend;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** The engines and frontends that are installed now. Of two with one name the later one counts. */
@Component(service = InstalledPlugins.class)
public final class InstalledPlugins {
  private final List<Engine> engines = new CopyOnWriteArrayList<>();
  private final List<Frontend> frontends = new CopyOnWriteArrayList<>();
  private final List<Observer> observers = new CopyOnWriteArrayList<>();

  /** Told of plugins that come and go. */
  interface Observer {
    /** An engine can be used from now on. */
    void engineArrived(String name);

    /** A frontend can be used from now on. */
    void frontendArrived();

    /** An engine goes away when this returns: nothing of it may be used afterwards. */
    void engineLeaving(Engine engine);
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addEngine(Engine engine) {
    engines.add(engine);
    observers.forEach(observer -> observer.engineArrived(engine.name()));
  }

  void removeEngine(Engine engine) {
    engines.remove(engine);
    observers.forEach(observer -> observer.engineLeaving(engine));
    if (engine(engine.name()).isPresent()) {
      observers.forEach(observer -> observer.engineArrived(engine.name()));
    }
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addFrontend(Frontend frontend) {
    frontends.add(frontend);
    observers.forEach(Observer::frontendArrived);
  }

  void removeFrontend(Frontend frontend) {
    frontends.remove(frontend);
  }

  void addObserver(Observer observer) {
    observers.add(observer);
  }

  void removeObserver(Observer observer) {
    observers.remove(observer);
  }

  Optional<Engine> engine(String name) {
    return engines.stream().filter(e -> e.name().equals(name)).reduce((first, later) -> later);
  }

  List<String> engineNames() {
    return names(engines, Engine::name);
  }

  /** What each engine can do beyond keeping bytes, by its name. */
  Map<String, List<String>> engineCapabilities() {
    Map<String, List<String>> capabilities = new TreeMap<>();
    for (Engine engine : engines) {
      capabilities.put(
          engine.name(), engine.capabilities().stream().map(Enum::name).sorted().toList());
    }
    return capabilities;
  }

  List<String> frontendNames() {
    return names(frontends, Frontend::name);
  }

  private static <T> List<String> names(List<T> plugins, Function<T, String> name) {
    return plugins.stream().map(name).distinct().sorted().toList();
  }
}

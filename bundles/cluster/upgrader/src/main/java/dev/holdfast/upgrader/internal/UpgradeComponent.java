package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleEvent;
import org.osgi.framework.BundleException;
import org.osgi.framework.BundleListener;
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.hooks.resolver.ResolverHookFactory;
import org.osgi.framework.startlevel.FrameworkStartLevel;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces bundles of this node, and repairs interrupted operations at the start. Starts before the
 * bundles that it replaces, and needs no services of the platform.
 */
@Component(service = UpgradeComponent.class, immediate = true)
public final class UpgradeComponent implements BundleListener {
  private static final Logger LOG = LoggerFactory.getLogger(UpgradeComponent.class);
  private static final Duration UPDATE_AFTER_STOP = Duration.ofSeconds(5);

  /**
   * Delay before a check, because requests wait during a replacement in place, and reading its jar
   * would delay them.
   */
  private static final Duration SETTLING = Duration.ofMillis(300);

  private static final String REPOSITORIES = "holdfast.upgrade.repositories";
  private static final String GENERATION = "generation";

  private final BundleContext context;
  private final Journal journal;
  private final Orchestrator orchestrator;
  private final BundleUpdateGuard plain;
  private final DuplicateBundles twins;
  private final StaleBundleCleanup former;
  private final ServiceRegistration<ResolverHookFactory> incompatible;
  private final StepExecutor replacement;
  private final UpgradeThread work = new UpgradeThread();
  private final Map<Long, Long> stopped = new ConcurrentHashMap<>();
  private final Set<String> accepted = ConcurrentHashMap.newKeySet();

  /** Repairs interrupted operations, then listens for changes of bundles. */
  @Activate
  public UpgradeComponent(BundleContext context) throws IOException {
    this.context = context;
    Path folder = folder(context);
    Clock clock = Clock.systemUTC();
    InstalledBundles bundles = new InstalledBundles(context);
    ServingParts parts = new ServingParts(context);
    BundleHealth health = new BundleHealth(context);
    JarStore jars = new JarStore(folder.resolve("jars"));
    this.journal = new Journal(folder.resolve("journal.json"));
    this.replacement =
        new StepExecutor(bundles, parts, health, UpgradeSettings.from(context::getProperty));
    this.orchestrator =
        new Orchestrator(
            new Planner(bundles, parts, jars),
            replacement,
            new UpgradeSources(
                folder, repositories(context, folder), name -> bundles.newest(name).isPresent()),
            journal,
            clock,
            this::restart);
    this.plain =
        new BundleUpdateGuard(
            bundles,
            replacement,
            health,
            jars,
            new LastGoodJars(folder.resolve("good.json")),
            journal,
            clock);
    this.twins = new DuplicateBundles(bundles, parts);
    this.former = new StaleBundleCleanup(context);
    boolean sameCache = !context.getDataFile(GENERATION).createNewFile();
    Optional<Operation> watched =
        new StartRepair(context, replacement, journal, clock).run(sameCache);
    // Until this bundle has its final content, it does not check changes of other bundles.
    if (watched.isPresent() || journal.open().isEmpty()) {
      context.addBundleListener(this);
      watched.ifPresent(operation -> work.run(() -> verify(operation)));
      work.run(this::lookAtAll);
    }
    this.incompatible =
        context.registerService(ResolverHookFactory.class, new IncompatibleBundles(context), null);
  }

  /**
   * Returns the configured repositories, the repository of the data directory, and that of the
   * container.
   */
  private static BundleRepositories repositories(BundleContext context, Path folder) {
    List<Path> all = new ArrayList<>();
    Stream.of(Objects.requireNonNullElse(context.getProperty(REPOSITORIES), "").split(":", -1))
        .filter(name -> !name.isBlank())
        .map(name -> Path.of(name.strip()))
        .forEach(all::add);
    all.add(folder.resolve("repository"));
    Optional.ofNullable(context.getProperty("karaf.home"))
        .map(home -> Path.of(home, "system"))
        .ifPresent(all::add);
    return new BundleRepositories(all);
  }

  private static Path folder(BundleContext context) {
    String data = context.getProperty("holdfast.data");
    if (data == null || data.isBlank()) {
      throw new IllegalStateException("holdfast.data is not set: it names the state directory");
    }
    return Path.of(data).resolve("upgrade");
  }

  /** Accepts a request once and executes it on another thread. */
  void submit(UpgradeRequest request) {
    if (!journal.knows(request.id()) && accepted.add(request.id())) {
      work.run(
          () -> {
            orchestrator.handle(request);
            accept(request.id());
          });
    }
  }

  private void accept(String id) throws IOException {
    for (Operation operation : journal.operations()) {
      if (operation.id().equals(id) && operation.state().isFinal()) {
        plain.accept(operation);
      }
    }
    plain.tidy();
  }

  /** Returns the newest operation that a user may want to undo. */
  Optional<Operation> lastDone() {
    return journal.lastDone();
  }

  /** Returns the last operations, newest last. */
  List<Operation> operations() {
    return journal.operations();
  }

  boolean hasEnded(String request) {
    return journal.operations().stream()
        .anyMatch(one -> one.id().equals(request) && one.state().isFinal());
  }

  /** Returns whether a request waits or runs. */
  boolean isBusy(String request) {
    return accepted.contains(request) && !hasEnded(request);
  }

  private void lookAtAll() throws IOException {
    for (Bundle bundle : context.getBundles()) {
      if (bundle.getSymbolicName() != null) {
        twins.learn(bundle.getSymbolicName());
      }
      if (bundle.getState() == Bundle.ACTIVE && bundle.getBundleId() != 0) {
        plain.look(bundle, true);
      }
    }
    plain.tidy();
  }

  @Override
  public void bundleChanged(BundleEvent event) {
    Bundle bundle = event.getBundle();
    boolean arrived =
        event.getType() == BundleEvent.STARTED || event.getType() == BundleEvent.UPDATED;
    boolean left =
        event.getType() == BundleEvent.STOPPED || event.getType() == BundleEvent.UNINSTALLED;
    String name = bundle.getSymbolicName();
    if (name == null || (!arrived && !left) || isStopping()) {
      return;
    }
    boolean ran = updatedWhileRunning(event);
    // Operations run on the same thread, so their results are checked after they have ended.
    if (arrived) {
      work.runAfter(SETTLING, () -> plain.look(bundle, ran));
    }
    work.run(
        () -> {
          if (!isStopping()) {
            twins.look(name);
            if (event.getType() == BundleEvent.UNINSTALLED) {
              plain.lookAtTheLast(name);
              former.forget(bundle);
            }
          }
        });
  }

  private boolean updatedWhileRunning(BundleEvent event) {
    long id = event.getBundle().getBundleId();
    if (event.getType() == BundleEvent.STOPPED) {
      stopped.put(id, System.nanoTime());
    }
    Long since = stopped.get(id);
    return event.getType() == BundleEvent.UPDATED
        && since != null
        && System.nanoTime() - since < UPDATE_AFTER_STOP.toNanos();
  }

  private boolean isStopping() {
    return context.getBundle(0).getState() == Bundle.STOPPING;
  }

  private void verify(Operation operation) throws IOException {
    FrameworkStartLevel level = context.getBundle(0).adapt(FrameworkStartLevel.class);
    try {
      work.await(() -> level.getStartLevel() >= level.getInitialBundleStartLevel());
      replacement.verify(operation.steps());
      orchestrator.done(operation);
      accept(operation.id());
    } catch (UpgradeException e) {
      if (!Thread.currentThread().isInterrupted()) {
        LOG.warn("after the restart: {}; going back", e.getMessage());
        journal.record(operation.ended(Operation.State.REVERTING, "", e.getMessage()));
        restart();
      }
    }
  }

  /** Stops the container, which Karaf restarts in the same process. */
  private void restart() {
    System.setProperty("karaf.restart", "true");
    try {
      context.getBundle(0).stop();
    } catch (BundleException e) {
      LOG.error("the container cannot be restarted", e);
    }
  }

  /** Stops running operations; the next start repairs them. */
  @Deactivate
  public void deactivate() {
    incompatible.unregister();
    context.removeBundleListener(this);
    work.close();
    if (isStopping()) {
      BundleProviders.remove();
    }
  }
}

package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkEvent;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.Version;
import org.osgi.framework.startlevel.BundleStartLevel;
import org.osgi.framework.startlevel.FrameworkStartLevel;
import org.osgi.framework.wiring.BundleRevision;
import org.osgi.framework.wiring.FrameworkWiring;

/** The bundles of the framework, by their symbolic names. Thread-safe. */
final class InstalledBundles {
  private static final String OURS = "dev.holdfast.";
  private static final String DATA_PATH = "dev.holdfast.datapath";
  private static final String PORTAL = "dev.holdfast.frontend.Portal";
  private static final String PARTS = "dev.holdfast.upgrade.ReplaceableParts";
  private static final String ENGINE = "dev.holdfast.engine.EngineProvider";
  private static final String FRONTEND = "dev.holdfast.frontend.FrontendProvider";
  private static final String ATTACHER = "dev.holdfast.attacher.AttacherProvider";
  // Not a sign of a bad version: the duration depends on the wired bundles and on the load of the
  // machine.
  private static final Duration WIRING = Duration.ofMinutes(1);

  private final BundleContext context;

  InstalledBundles(BundleContext context) {
    this.context = context;
  }

  /** Returns all bundles of a name, lowest version first. */
  List<Bundle> named(String symbolicName) {
    return Arrays.stream(context.getBundles())
        .filter(bundle -> symbolicName.equals(bundle.getSymbolicName()))
        .sorted(Comparator.comparing(Bundle::getVersion).thenComparing(Bundle::getBundleId))
        .toList();
  }

  /** Returns Holdfast's own bundles, each name once. */
  List<Bundle> ofThePlatform() {
    return Arrays.stream(context.getBundles())
        .map(Bundle::getSymbolicName)
        .filter(name -> name != null && name.startsWith(OURS))
        .distinct()
        .map(name -> newest(name).orElseThrow())
        .toList();
  }

  Optional<Bundle> newest(String symbolicName) {
    return named(symbolicName).stream().reduce((older, newer) -> newer);
  }

  Optional<Bundle> with(String symbolicName, String version) {
    return named(symbolicName).stream()
        .filter(bundle -> bundle.getVersion().equals(Version.parseVersion(version)))
        .findFirst();
  }

  /** Returns the kind of a bundle, derived from the services that it registers. */
  String kind(Bundle bundle) {
    Set<String> services = services(bundle);
    if (services.contains(FRONTEND)) {
      return "frontend";
    }
    if (services.contains(ENGINE)) {
      return "engine";
    }
    return services.contains(ATTACHER) ? "attacher" : "platform";
  }

  private static Set<String> services(Bundle bundle) {
    Set<String> names = new HashSet<>();
    ServiceReference<?>[] registered = bundle.getRegisteredServices();
    if (registered != null) {
      for (ServiceReference<?> service : registered) {
        names.addAll(List.of((String[]) service.getProperty(Constants.OBJECTCLASS)));
      }
    }
    return names;
  }

  /**
   * Returns whether replacing a bundle in place would interrupt clients: it is the portal or the
   * data path, or they or a plugin in use have loaded its classes.
   */
  boolean carriesData(Bundle bundle) {
    for (Bundle user :
        context.getBundle(0).adapt(FrameworkWiring.class).getDependencyClosure(List.of(bundle))) {
      Set<String> services = services(user);
      if (services.contains(PORTAL)
          || services.contains(PARTS)
          || DATA_PATH.equals(user.getSymbolicName())
          || (!user.equals(bundle) && (services.contains(ENGINE) || services.contains(FRONTEND)))
          || user.equals(context.getBundle())) {
        return true;
      }
    }
    return false;
  }

  /** Returns the packages that installed bundles export and import. */
  InstalledPackages packages() {
    List<InstalledPackages.Offer> exports = new ArrayList<>();
    List<BundleManifest> users = new ArrayList<>();
    for (Bundle bundle : context.getBundles()) {
      exports(bundle)
          .forEach(
              export -> exports.add(new InstalledPackages.Offer(bundle.getSymbolicName(), export)));
      manifest(bundle).ifPresent(users::add);
    }
    return new InstalledPackages(exports, users);
  }

  private static List<BundleManifest.Export> exports(Bundle bundle) {
    BundleRevision revision = bundle.adapt(BundleRevision.class);
    return revision == null
        ? List.of()
        : revision.getDeclaredCapabilities("osgi.wiring.package").stream()
            .map(
                offered ->
                    new BundleManifest.Export(
                        (String) offered.getAttributes().get("osgi.wiring.package"),
                        (Version) offered.getAttributes().get(Constants.VERSION_ATTRIBUTE)))
            .toList();
  }

  /** Returns what a bundle declares; empty when it has no symbolic name. */
  private static Optional<BundleManifest> manifest(Bundle bundle) {
    try {
      return Optional.of(BundleManifest.of(bundle));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * Returns one sentence for each package of the platform that a bundle needs and does not find.
   */
  List<String> missing(Bundle bundle) {
    Optional<BundleManifest> manifest = manifest(bundle).filter(BundleManifest::isOurs);
    return manifest.isEmpty()
        ? List.of()
        : SpiCheck.missing(
            manifest.get(),
            Arrays.stream(context.getBundles()).flatMap(one -> exports(one).stream()).toList());
  }

  /** Returns the start level of bundles without an explicit level. */
  int levelOfNew() {
    return context.getBundle(0).adapt(FrameworkStartLevel.class).getInitialBundleStartLevel();
  }

  /** Installs a kept jar beside all existing bundles without starting it. */
  Bundle install(Path jar, int level) throws UpgradeException {
    try (InputStream content = Files.newInputStream(jar)) {
      Bundle bundle = context.installBundle(freeLocation(jar), content);
      bundle.adapt(BundleStartLevel.class).setStartLevel(level);
      return bundle;
    } catch (BundleException | IOException e) {
      throw new UpgradeException(jar.getFileName() + " cannot be installed: " + reason(e), e);
    }
  }

  /**
   * Returns an unused location: for a used one the framework would return the installed bundle,
   * whose content may have been updated since.
   */
  private String freeLocation(Path jar) {
    String location = jar.toUri().toString();
    for (int i = 2; context.getBundle(location) != null; i++) {
      location = jar.toUri() + "#" + i;
    }
    return location;
  }

  /** Does the work that is possible before a bundle is started. */
  void prepare(Bundle bundle) {
    ClassLoading.of(bundle, context);
  }

  void start(Bundle bundle) throws UpgradeException {
    try {
      bundle.start();
    } catch (BundleException e) {
      throw new UpgradeException(
          bundle.getSymbolicName() + " " + bundle.getVersion() + " does not start: " + reason(e),
          e);
    }
  }

  /** Returns the first cause; the framework wraps it. */
  private static String reason(Throwable failure) {
    Throwable deepest = failure;
    while (deepest.getCause() != null) {
      deepest = deepest.getCause();
    }
    return deepest.getMessage() == null ? deepest.toString() : deepest.getMessage();
  }

  void stop(Bundle bundle) throws UpgradeException {
    try {
      bundle.stop();
    } catch (BundleException e) {
      throw new UpgradeException(bundle + " cannot be stopped: " + e.getMessage(), e);
    }
  }

  void update(Bundle bundle, Path jar) throws UpgradeException {
    try (InputStream content = Files.newInputStream(jar)) {
      bundle.update(content);
    } catch (BundleException | IOException e) {
      throw new UpgradeException(bundle.getSymbolicName() + " cannot be updated: " + reason(e), e);
    }
  }

  /** Uninstalls a bundle that was never started since the framework started. */
  void discard(Bundle bundle) {
    try {
      uninstall(bundle);
    } catch (UpgradeException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  void uninstall(Bundle bundle) throws UpgradeException {
    try {
      if (bundle.getState() != Bundle.UNINSTALLED) {
        bundle.uninstall();
      }
    } catch (BundleException e) {
      throw new UpgradeException(bundle + " cannot be uninstalled: " + e.getMessage(), e);
    }
  }

  /** Wires the users of replaced bundles again. Returns after that, or after a time-out. */
  void refresh(Collection<Bundle> replaced) throws UpgradeException {
    CountDownLatch done = new CountDownLatch(1);
    context
        .getBundle(0)
        .adapt(FrameworkWiring.class)
        .refreshBundles(
            replaced,
            event -> {
              if (event.getType() == FrameworkEvent.PACKAGES_REFRESHED) {
                done.countDown();
              }
            });
    try {
      if (!done.await(WIRING.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new UpgradeException("refreshing bundles took longer than " + WIRING);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UpgradeException("interrupted while bundles are refreshed", e);
    }
  }
}

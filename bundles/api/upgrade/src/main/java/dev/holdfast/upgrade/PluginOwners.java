package dev.holdfast.upgrade;

import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Decides which bundle may offer a plugin under a name. A name belongs to the symbolic name of the
 * first bundle that offered it, as long as a bundle of that symbolic name is installed. Other
 * versions of that bundle are admitted, also during an update or restart. Plugins of other bundles
 * are rejected under that name. Bundles of Holdfast are always admitted and take their names from
 * other bundles, because the node activates bundles in any order at its start.
 *
 * <p>Thread-safe. The consumer of refusals is called while the lock is held.
 *
 * @param <T> type of the plugins, which are compared by identity
 * @since 1.2
 */
public final class PluginOwners<T> {
  private static final String OURS = "dev.holdfast.";

  private final String kind;
  private final Predicate<String> installed;
  private final InstantSource clock;
  private final Consumer<String> refusals;
  private final Map<String, String> owners = new HashMap<>();
  private final List<Offer<T>> offers = new ArrayList<>();

  private record Offer<T>(
      T plugin, String name, PluginOrigin origin, Optional<BundleTrouble> refusal) {
    Offer<T> refusedAs(BundleTrouble trouble) {
      return new Offer<>(plugin, name, origin, Optional.of(trouble));
    }
  }

  /**
   * Creates an object without plugins.
   *
   * @param kind of the plugins, for messages, for example {@code engine}, not null
   * @param installed whether a bundle of a symbolic name is installed, not null
   * @param clock of the node, not null
   * @param refusals receives one message for each rejected plugin, not null
   */
  public PluginOwners(
      String kind, Predicate<String> installed, InstantSource clock, Consumer<String> refusals) {
    this.kind = kind;
    this.installed = installed;
    this.clock = clock;
    this.refusals = refusals;
  }

  /**
   * Adds a plugin, and rejects it if its name belongs to another bundle.
   *
   * @param plugin the service, not null
   * @param name of the plugin, not null
   * @param origin the bundle that offers it, not null
   * @return admitted plugins that are rejected from now on, not null
   */
  public synchronized List<T> add(T plugin, String name, PluginOrigin origin) {
    Offer<T> added = new Offer<>(plugin, name, origin, Optional.empty());
    String owner = owners.get(name);
    boolean admitted =
        owner == null
            || owner.equals(origin.symbolicName())
            || isOurs(origin.symbolicName())
            || !installed.test(owner);
    if (!admitted) {
      offers.add(refuse(added));
      return List.of();
    }
    owners.put(name, origin.symbolicName());
    offers.add(added);
    return dismiss(name, origin.symbolicName());
  }

  /** Removes a plugin; ignores an unknown one. */
  @SuppressWarnings(
      "ReferenceEquality") // Compares by identity, because a plugin may override equals.
  public synchronized void remove(T plugin) {
    offers.removeIf(offer -> offer.plugin() == plugin);
  }

  /** Removes all plugins except the given ones. */
  public synchronized void retain(Collection<T> plugins) {
    offers.removeIf(offer -> plugins.stream().noneMatch(plugin -> plugin == offer.plugin()));
  }

  /** Returns whether a plugin was added and admitted. */
  public synchronized boolean admits(T plugin) {
    return find(plugin).filter(offer -> offer.refusal().isEmpty()).isPresent();
  }

  /** Returns whether a plugin was added, admitted or rejected. */
  public synchronized boolean knows(T plugin) {
    return find(plugin).isPresent();
  }

  /** Returns the rejected plugins, a copy, never null. */
  public synchronized List<BundleTrouble> troubles() {
    return offers.stream().flatMap(offer -> offer.refusal().stream()).toList();
  }

  @SuppressWarnings(
      "ReferenceEquality") // Compares by identity, because a plugin may override equals.
  private Optional<Offer<T>> find(T plugin) {
    return offers.stream().filter(offer -> offer.plugin() == plugin).findFirst();
  }

  private List<T> dismiss(String name, String owner) {
    List<T> dismissed = new ArrayList<>();
    for (int i = 0; i < offers.size(); i++) {
      Offer<T> offer = offers.get(i);
      String symbolicName = offer.origin().symbolicName();
      if (offer.name().equals(name)
          && offer.refusal().isEmpty()
          && !symbolicName.equals(owner)
          && !isOurs(symbolicName)) {
        offers.set(i, refuse(offer));
        dismissed.add(offer.plugin());
      }
    }
    return dismissed;
  }

  private Offer<T> refuse(Offer<T> offer) {
    BundleTrouble trouble =
        new BundleTrouble(
            BundleTrouble.Kind.DUPLICATE_NAME,
            clock.instant(),
            offer.origin().bundle(),
            offer.origin().symbolicName() + " " + offer.origin().version(),
            "",
            message(offer));
    refusals.accept("bundle " + trouble.name() + ": " + trouble.message());
    return offer.refusedAs(trouble);
  }

  /** Names both bundles, because either of them may be the unwanted one. */
  private String message(Offer<T> refused) {
    String owner = owners.get(refused.name());
    Optional<PluginOrigin> present =
        offers.stream()
            .filter(offer -> offer.name().equals(refused.name()))
            .map(Offer::origin)
            .filter(origin -> origin.symbolicName().equals(owner))
            .findFirst();
    String start =
        "%s %s is refused because the name belongs to %s: remove it by bundle:uninstall %d"
            .formatted(
                kind,
                refused.name(),
                present.map(PluginOrigin::toString).orElse("bundle " + owner),
                refused.origin().bundle());
    return isOurs(owner)
        ? start + " or install a version of it that has another name"
        : start
            + ", or uninstall the other bundle%s and then use bundle:restart %d"
                .formatted(
                    present.map(origin -> " by bundle:uninstall " + origin.bundle()).orElse(""),
                    refused.origin().bundle());
  }

  private static boolean isOurs(String symbolicName) {
    return symbolicName.startsWith(OURS);
  }
}

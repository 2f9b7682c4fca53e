package dev.holdfast.portal.internal.session;

import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.upgrade.ServingBundle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/** All services of one frontend name, in order of preference. Thread-safe. */
public final class FrontendServices {
  private final List<FrontendService> best = new ArrayList<>();

  /** Adds a service; among equals the latest is preferred. */
  public synchronized FrontendService add(FrontendProvider frontend, FrontendRank origin) {
    FrontendService added = new FrontendService(frontend, origin);
    int place = 0;
    while (place < best.size()
        && FrontendRank.ORDER.compare(best.get(place).origin(), origin) > 0) {
      place++;
    }
    best.add(place, added);
    return added;
  }

  @SuppressWarnings("ReferenceEquality") // Compared by identity, not by equals.
  public synchronized Optional<FrontendService> remove(FrontendProvider frontend) {
    Optional<FrontendService> found =
        best.stream().filter(service -> service.frontend() == frontend).findFirst();
    found.ifPresent(
        service -> {
          best.remove(service);
          service.leave();
        });
    return found;
  }

  /** Returns the target of sessions: the preferred service that has not failed to resume one. */
  public synchronized Optional<FrontendService> target() {
    return best.stream().filter(service -> !service.refused()).findFirst();
  }

  /** Returns the preferred service, whether or not it failed. */
  public synchronized Optional<FrontendService> first() {
    return best.stream().findFirst();
  }

  /** Returns all services, the preferred one first. */
  public synchronized List<FrontendService> all() {
    return List.copyOf(best);
  }

  /** Returns the bundles, lowest version first, with the number of sessions of each. */
  public synchronized List<ServingBundle> bundles(ToIntFunction<FrontendService> served) {
    List<ServingBundle> bundles = new ArrayList<>();
    for (FrontendService service : best) {
      FrontendRank origin = service.origin();
      bundles.add(
          0,
          new ServingBundle(
              origin.bundle(),
              origin.symbolicName(),
              origin.version(),
              served.applyAsInt(service)));
    }
    return bundles;
  }
}

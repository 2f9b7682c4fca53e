package dev.holdfast.portal.internal.session;

import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.upgrade.ServingBundle;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/** All frontends of one name that are there, and which of them serves. Thread-safe. */
public final class FrontendServices {
  private final List<FrontendService> best = new ArrayList<>();

  /** Adds a service; of equals the one that came last serves. */
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

  /** Returns where sessions belong: the best that has not failed to take one over. */
  public synchronized Optional<FrontendService> target() {
    return best.stream().filter(service -> !service.refused()).findFirst();
  }

  /** Returns the best, whether or not it failed. */
  public synchronized Optional<FrontendService> first() {
    return best.stream().findFirst();
  }

  /** Returns all, the best first. */
  public synchronized List<FrontendService> all() {
    return List.copyOf(best);
  }

  /** Returns the bundles, lowest version first, with the sessions that each serves. */
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

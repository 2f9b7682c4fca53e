package dev.holdfast.upgrader.internal;

import dev.holdfast.upgrade.ReplaceablePart;
import dev.holdfast.upgrade.ReplaceableParts;
import dev.holdfast.upgrade.ServingBundle;
import dev.holdfast.upgrade.TakeOverFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;

/** Reports of the bundles that move work, by kind and name of the parts. Thread-safe. */
final class ServingParts {
  private final BundleContext context;

  ServingParts(BundleContext context) {
    this.context = context;
  }

  private Map<String, ReplaceablePart> all() {
    Map<String, ReplaceablePart> found = new TreeMap<>();
    try {
      for (ServiceReference<ReplaceableParts> reference :
          context.getServiceReferences(ReplaceableParts.class, null)) {
        ReplaceableParts mover = context.getService(reference);
        if (mover != null) {
          mover.parts().forEach(part -> found.put(mover.kind() + " " + part.name(), part));
          context.ungetService(reference);
        }
      }
    } catch (InvalidSyntaxException e) {
      throw new IllegalStateException("no filter was given", e);
    }
    return found;
  }

  /** Returns the bundles that move work from one bundle to another. */
  List<Bundle> movers() {
    try {
      return context.getServiceReferences(ReplaceableParts.class, null).stream()
          .map(ServiceReference::getBundle)
          .filter(Objects::nonNull)
          .distinct()
          .toList();
    } catch (InvalidSyntaxException e) {
      throw new IllegalStateException("no filter was given", e);
    }
  }

  /** Returns the parts that a bundle offers. */
  Set<String> offeredBy(long bundle) {
    Set<String> names = new HashSet<>();
    all()
        .forEach(
            (name, part) -> {
              if (part.bundles().stream().anyMatch(one -> one.id() == bundle)) {
                names.add(name);
              }
            });
    return names;
  }

  /** Returns the parts that other bundles still serve; empty if this bundle serves all of them. */
  Optional<String> notMoved(Collection<String> names, long bundle) {
    Map<String, ReplaceablePart> now = all();
    List<String> reasons = new ArrayList<>();
    for (String name : names) {
      ReplaceablePart part = now.get(name);
      if (part == null || part.bundles().stream().noneMatch(one -> one.id() == bundle)) {
        reasons.add("bundle " + bundle + " does not offer " + name);
        continue;
      }
      int elsewhere =
          part.bundles().stream()
              .filter(one -> one.id() != bundle)
              .mapToInt(ServingBundle::served)
              .sum();
      if (elsewhere > 0 || part.parked() > 0) {
        reasons.add(name + " has " + elsewhere + " elsewhere and " + part.parked() + " waiting");
      }
    }
    return reasons.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", reasons));
  }

  /** Returns the last failure of a bundle to take over a part. */
  Optional<String> failure(long bundle) {
    return all().values().stream()
        .flatMap(part -> part.failures().stream())
        .filter(failure -> failure.bundle() == bundle)
        .max(Comparator.comparing(TakeOverFailure::time))
        .map(failure -> failure.subject() + ": " + failure.reason());
  }

  /** Returns the longest pause of the last take-over of a bundle's parts. */
  Optional<Duration> longestPause(long bundle) {
    return all().values().stream()
        .filter(part -> part.bundles().stream().anyMatch(one -> one.id() == bundle))
        .flatMap(part -> part.lastPauses().stream())
        .max(Comparator.naturalOrder());
  }
}

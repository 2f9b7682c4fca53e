package dev.holdfast.upgrader.internal;

import dev.holdfast.upgrade.ReplaceablePart;
import dev.holdfast.upgrade.ReplaceableParts;
import dev.holdfast.upgrade.ServingBundle;
import dev.holdfast.upgrade.TakeOverFailure;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Version;

/** Has three sessions, which the highest running and able version serves. */
final class FakeMover implements ReplaceableParts {
  private static final int SESSIONS = 3;

  private final BundleContext context;
  private final String symbolicName;
  private final Version broken;

  FakeMover(BundleContext context, String symbolicName, String broken) {
    this.context = context;
    this.symbolicName = symbolicName;
    this.broken = Version.parseVersion(broken);
  }

  @Override
  public String kind() {
    return FRONTEND;
  }

  @Override
  public List<ReplaceablePart> parts() {
    List<Bundle> running =
        Arrays.stream(context.getBundles())
            .filter(bundle -> symbolicName.equals(bundle.getSymbolicName()))
            .filter(bundle -> bundle.getState() == Bundle.ACTIVE)
            .sorted(Comparator.comparing(Bundle::getVersion))
            .toList();
    List<Bundle> able =
        running.stream().filter(bundle -> !bundle.getVersion().equals(broken)).toList();
    List<ServingBundle> serving = new ArrayList<>();
    List<TakeOverFailure> failures = new ArrayList<>();
    for (Bundle bundle : running) {
      boolean serves = !able.isEmpty() && bundle.equals(able.get(able.size() - 1));
      serving.add(
          new ServingBundle(
              bundle.getBundleId(),
              symbolicName,
              bundle.getVersion().toString(),
              serves ? SESSIONS : 0));
      if (bundle.getVersion().equals(broken)) {
        failures.add(
            new TakeOverFailure(Instant.EPOCH, bundle.getBundleId(), "demo", "planted: no resume"));
      }
    }
    return List.of(
        new ReplaceablePart("nbd", serving, able.isEmpty() ? SESSIONS : 0, failures, List.of()));
  }
}

package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.InstalledEngine;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.BundleTroubles;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Finds engines that hang: their call to open, hand over or close a volume does not return, or they
 * answer none of a volume's requests. Each volume has its own threads, so that other volumes
 * continue.
 */
@Component
public final class EngineHangDetector implements BundleTroubles {
  private static final String LATE = "holdfast.plugin.late.seconds";
  private static final String DEFAULT_LATE = "60";

  private final InstalledPlugins plugins;
  private final Supplier<List<EngineHealth>> pulses;
  private final Duration late;
  private final Map<String, Silence> silences = new HashMap<>();

  /** Period in which requests wait and none ends. */
  private record Silence(long ended, long sinceNanos) {}

  /** Watches the attached volumes of this node. */
  @Activate
  public EngineHangDetector(
      BundleContext context,
      @Reference InstalledPlugins plugins,
      @Reference LocalAttachedVolumes volumes) {
    this(
        plugins,
        volumes::health,
        Duration.ofSeconds(
            Long.parseLong(
                Optional.ofNullable(context.getProperty(LATE)).orElse(DEFAULT_LATE).strip())));
  }

  EngineHangDetector(InstalledPlugins plugins, Supplier<List<EngineHealth>> pulses, Duration late) {
    this.plugins = plugins;
    this.pulses = pulses;
    this.late = late;
  }

  @Override
  public synchronized List<BundleTrouble> troubles() {
    List<EngineHealth> now = pulses.get();
    silences.keySet().retainAll(now.stream().map(EngineHealth::volume).toList());
    List<BundleTrouble> all = new ArrayList<>();
    for (EngineHealth pulse : now) {
      call(pulse).or(() -> silence(pulse)).ifPresent(all::add);
    }
    return all;
  }

  private Optional<BundleTrouble> call(EngineHealth pulse) {
    return pulse
        .stepPlace()
        .filter(place -> pulse.stepLasts().compareTo(late) >= 0)
        .map(
            place ->
                trouble(
                    pulse,
                    pulse.stepLasts(),
                    "a call for volume " + pulse.volume() + " does not return; it is at " + place));
  }

  private Optional<BundleTrouble> silence(EngineHealth pulse) {
    if (!pulse.isWaiting()) {
      silences.remove(pulse.volume());
      return Optional.empty();
    }
    long now = System.nanoTime();
    Silence silence =
        silences.compute(
            pulse.volume(),
            (volume, before) ->
                before != null && before.ended() == pulse.ended()
                    ? before
                    : new Silence(pulse.ended(), now));
    Duration lasts = Duration.ofNanos(now - silence.sinceNanos());
    return lasts.compareTo(late) < 0
        ? Optional.empty()
        : Optional.of(
            trouble(pulse, lasts, "requests of volume " + pulse.volume() + " get no answer"));
  }

  private BundleTrouble trouble(EngineHealth pulse, Duration lasts, String message) {
    List<InstalledEngine> all = plugins.engines(pulse.engine());
    Optional<InstalledEngine> by =
        pulse
            .used()
            .flatMap(plugins::installed)
            .or(() -> all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1)));
    return new BundleTrouble(
        BundleTrouble.Kind.HANGS,
        Instant.now().minus(lasts),
        by.map(InstalledEngine::bundle).orElse(-1L),
        by.map(engine -> engine.symbolicName() + " " + engine.version()).orElse(pulse.engine()),
        pulse.volume(),
        message);
  }
}

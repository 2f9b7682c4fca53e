package dev.holdfast.datapath.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.datapath.AttachedVolumeStatus;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Limits how many volumes open concurrently when the process starts, the most used first. Volumes
 * that are attached later do not wait. A volume that opens slowly, or not at all, delays the others
 * by some seconds at most. A volume whose engine is not installed yet delays no other, and keeps
 * its place. Thread-safe.
 */
@Component(service = OpenQueue.class)
public final class OpenQueue {
  private static final int AT_A_TIME = 4;
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final LocalAttachedVolumes volumes;
  private final InstalledPlugins plugins;
  private final Map<String, Instant> begun = new HashMap<>();
  private List<String> waiting = List.of();
  private Instant started = Instant.MIN;

  /**
   * Creates a queue from which no volume has started.
   *
   * @param volumes the attached volumes, and their use
   * @param plugins the engines that are installed
   */
  @Activate
  public OpenQueue(@Reference LocalAttachedVolumes volumes, @Reference InstalledPlugins plugins) {
    this.volumes = volumes;
    this.plugins = plugins;
  }

  /** Returns whether an engine may start to open its volume; if so, counts it as started. */
  synchronized boolean isDue(String engine, ReconcileContext context) {
    Instant now = context.clock().instant();
    if (started.equals(Instant.MIN)) {
      started = now;
      waiting = inOrder(context, now);
    }
    int turn = next(context, now).indexOf(engine);
    boolean due =
        !waiting.contains(engine)
            || (turn >= 0 && turn < AT_A_TIME - opening(now))
            || Duration.between(started, now).abs().compareTo(LONGEST) > 0;
    if (due && waiting.remove(engine)) {
      begun.put(engine, now);
    }
    return due;
  }

  /** Returns the next engines that can open; skips those that are not wanted any more. */
  private List<String> next(ReconcileContext context, Instant now) {
    List<String> next = new ArrayList<>();
    Iterator<String> names = waiting.iterator();
    while (names.hasNext() && next.size() < AT_A_TIME) {
      String name = names.next();
      if (!opens(name, context, now)) {
        names.remove();
      } else if (context.get(Engine.KIND, name).filter(plugins::hasEngineOf).isPresent()) {
        next.add(name);
      }
    }
    return next;
  }

  private List<String> inOrder(ReconcileContext context, Instant now) {
    List<String> names = new ArrayList<>();
    for (Engine engine : context.list(Engine.KIND, LabelSelector.ALL)) {
      if (opens(engine.name(), context, now)) {
        names.add(engine.name());
      }
    }
    names.sort(
        Comparator.comparingDouble((String name) -> -volumes.activity().of(name))
            .thenComparing(n -> n));
    return names;
  }

  private boolean opens(String name, ReconcileContext context, Instant now) {
    return EngineStep.next(
            context.get(Engine.KIND, name),
            volumes.find(name).map(LocalAttachedVolume::status),
            context.nodeName(),
            now)
        .opens();
  }

  /** Returns how many started engines are not open yet, but may be soon. */
  private int opening(Instant now) {
    begun
        .entrySet()
        .removeIf(
            entry ->
                Duration.between(entry.getValue(), now).abs().compareTo(PATIENCE) > 0
                    || volumes
                        .find(entry.getKey())
                        .filter(
                            volume -> volume.status().phase() != AttachedVolumeStatus.Phase.OPENING)
                        .isPresent());
    return begun.size();
  }
}

package dev.holdfast.datapath;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import java.util.Optional;

/**
 * Finds the engine that serves a volume in a reconciler's cache. The volume's status names it; a
 * volume stored before that field has one engine.
 */
public final class ActiveEngines {
  private ActiveEngines() {}

  /**
   * Returns the engine that a volume follows.
   *
   * @param volume name of the volume, not null
   * @param context whose cache has volumes and engines, not null
   * @return the engine that the volume's status names, or its only engine while the status names
   *     none; empty while it is unknown
   */
  public static Optional<Engine> of(String volume, ReconcileContext context) {
    String named = context.get(Volume.KIND, volume).map(v -> v.status().activeEngine()).orElse("");
    if (!named.isEmpty()) {
      return context.get(Engine.KIND, named).filter(engine -> isOf(volume, engine));
    }
    return context.list(Engine.KIND, LabelSelector.ALL).stream()
        .filter(engine -> isOf(volume, engine))
        .findFirst();
  }

  private static boolean isOf(String volume, Engine engine) {
    return engine.spec().volume().equals(volume);
  }

  /**
   * Returns the name of the engine that a volume follows, for watches.
   *
   * @param volume name of the volume, not null
   * @param context whose cache has volumes and engines, not null
   * @return one name, or none while the volume or its engine is unknown
   */
  public static List<String> namesOf(String volume, ReconcileContext context) {
    return of(volume, context).map(Engine::name).stream().toList();
  }
}

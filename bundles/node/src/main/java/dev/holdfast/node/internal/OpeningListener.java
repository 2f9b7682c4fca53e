package dev.holdfast.node.internal;

import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.OpenVolume;

/** Listens to one opening; what an earlier one says later is no news. */
interface OpeningListener extends EngineListener {

  /** From now on what is told is about this volume. */
  void becomeCurrent(OpenVolume opened);
}

package dev.holdfast.datapath.internal;

import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.OpenVolume;

/** Receives the events of one opening. Events of an earlier opening are ignored. */
interface OpeningListener extends EngineListener {

  /** Sets the volume to which later events belong. */
  void becomeCurrent(OpenVolume opened);
}

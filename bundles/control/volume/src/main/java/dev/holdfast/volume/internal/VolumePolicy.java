package dev.holdfast.volume.internal;

/** Decides the next step of a volume: a pure function. */
@FunctionalInterface
interface VolumePolicy {
  VolumePlan next(VolumeView view);
}

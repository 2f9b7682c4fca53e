package dev.holdfast.volume.internal;

/** Decides the next step of a volume. A pure function. */
@FunctionalInterface
interface VolumePolicy {
  VolumePlan next(VolumeView view);
}

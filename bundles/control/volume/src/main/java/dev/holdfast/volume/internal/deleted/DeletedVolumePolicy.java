package dev.holdfast.volume.internal.deleted;

/** Decides the next step of a deleted volume. A pure function. */
public interface DeletedVolumePolicy {
  /** Returns the next step. */
  DeletedVolumeStep next(DeletedVolumeFacts facts);
}

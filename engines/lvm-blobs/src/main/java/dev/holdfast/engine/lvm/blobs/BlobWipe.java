package dev.holdfast.engine.lvm.blobs;

/** Treatment of the space that a linear blob receives. Thin blobs always read as zeroes. */
public enum BlobWipe {
  /** All of it is overwritten with zeroes before the blob can be attached. */
  FULL,
  /** It keeps the bytes that other blobs have left there, and readers of the blob see them. */
  UNSAFE_FAST
}

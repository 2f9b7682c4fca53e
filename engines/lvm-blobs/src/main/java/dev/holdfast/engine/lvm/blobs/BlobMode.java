package dev.holdfast.engine.lvm.blobs;

/** Ways to keep a blob. */
public enum BlobMode {
  /** Space is allocated when it is written. The blob can be copied; copies share its space. */
  THIN,
  /** All space is allocated at once. */
  LINEAR
}

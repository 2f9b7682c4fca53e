package dev.holdfast.diskimage;

import java.util.Locale;

/** Formats of disk images that are read and written. */
public enum ImageFormat {
  /** The bytes of the disk in order. */
  RAW,
  /** QEMU's format with a table of clusters. */
  QCOW2;

  /** Returns the name in lower case, as the API shows it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package dev.holdfast.engine.lvm.blobs;

import java.util.Objects;

/**
 * Options of a new blob.
 *
 * @param mode how it is kept
 * @param wipe treatment of its space, when it is linear
 */
public record BlobOptions(BlobMode mode, BlobWipe wipe) {
  /** A thin blob. */
  public static final BlobOptions THIN = new BlobOptions(BlobMode.THIN, BlobWipe.FULL);

  /** A linear blob that is wiped. */
  public static final BlobOptions LINEAR = new BlobOptions(BlobMode.LINEAR, BlobWipe.FULL);

  /** Checks that nothing is missing. */
  public BlobOptions {
    Objects.requireNonNull(mode, "mode");
    Objects.requireNonNull(wipe, "wipe");
  }
}

package dev.holdfast.engine.lvm.blobs;

import java.util.Set;

/**
 * State of a blob.
 *
 * @param blob its name
 * @param mode how it is kept
 * @param sizeBytes its size
 * @param usedBytes space that it occupies: all of it when it is linear; of a thin blob what was
 *     written, shared with copies or not; 0 while a thin blob is not active, because LVM does not
 *     tell then
 * @param complete whether it can be attached; otherwise the creation or deletion has to be repeated
 * @param cookies under which it is attached
 */
public record BlobInfo(
    Blob blob,
    BlobMode mode,
    long sizeBytes,
    long usedBytes,
    boolean complete,
    Set<String> cookies) {
  /** Copies the cookies. */
  public BlobInfo {
    cookies = Set.copyOf(cookies);
  }
}

package dev.holdfast.engine.lvm.blobs;

import java.util.Objects;

/**
 * A use of a blob as a device.
 *
 * @param blob name of the blob
 * @param node whose device it is
 * @param cookie of the user
 * @param leaving whether it is being withdrawn, as the last one of its blob
 */
record Attachment(String blob, String node, String cookie, boolean leaving) {
  Attachment {
    Objects.requireNonNull(blob, "blob");
    Objects.requireNonNull(node, "node");
    if (cookie.isEmpty()) {
      throw new IllegalArgumentException("cookie: must not be empty");
    }
  }

  Attachment in(boolean leaves) {
    return new Attachment(blob, node, cookie, leaves);
  }

  /** Returns whether it is the same use, leaving or not. */
  boolean isSame(Attachment other) {
    return blob.equals(other.blob) && node.equals(other.node) && cookie.equals(other.cookie);
  }
}

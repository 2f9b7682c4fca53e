package dev.holdfast.support.internal.pack;

import java.io.IOException;

/** One source of files of a bundle, such as the logs of a node. */
@FunctionalInterface
interface Facts {
  /**
   * Collects the files.
   *
   * @param filter to remove secrets with
   * @param sink takes the files
   * @throws IOException if they cannot be read, or the receiver is gone
   */
  void collect(SupportRequest request, SecretFilter filter, EntrySink sink) throws IOException;
}

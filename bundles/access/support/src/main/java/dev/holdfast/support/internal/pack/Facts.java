package dev.holdfast.support.internal.pack;

import java.io.IOException;

/** A source of files for a bundle, such as the logs of a node. */
@FunctionalInterface
interface Facts {
  /**
   * Collects the files.
   *
   * @param filter removes secrets
   * @param sink receives the files
   * @throws IOException if they cannot be read, or the receiver has disconnected
   */
  void collect(SupportRequest request, SecretFilter filter, EntrySink sink) throws IOException;
}

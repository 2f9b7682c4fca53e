package dev.holdfast.support.internal.pack;

import java.io.IOException;

/** Receives the files of a support bundle in sequence. */
@FunctionalInterface
public interface EntrySink {
  /**
   * Receives a file.
   *
   * @param name relative path with slashes
   * @param content complete content, which the caller must not change afterwards
   * @throws IOException if the receiver has disconnected
   */
  void entry(String name, byte[] content) throws IOException;
}

package dev.holdfast.support.internal.pack;

import java.io.IOException;

/** Takes the files of a support bundle, one after the other. */
@FunctionalInterface
public interface EntrySink {
  /**
   * Takes a file.
   *
   * @param name relative path with slashes
   * @param content whole content, which the caller does not change afterwards
   * @throws IOException if the receiver is gone
   */
  void entry(String name, byte[] content) throws IOException;
}

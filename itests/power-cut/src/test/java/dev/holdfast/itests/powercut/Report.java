package dev.holdfast.itests.powercut;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The guest's end of the report: lines to the standard output, which is a serial line. Each line is
 * one write to the kernel without a buffer of ours, and User-mode Linux has handed it to the host
 * when the write returns, so a line outlives the machine that sent it. Thread-safe.
 */
final class Report {
  static final String OPENING = "OPENING";
  static final String OPENED = "OPENED";
  static final String DIFFERENT = "DIFFERENT";
  static final String CONTENT = "CONTENT";
  static final String ACKNOWLEDGED = "ACKNOWLEDGED";
  static final String CLOSED = "CLOSED";
  static final String FAILED = "FAILED";

  private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);

  synchronized void line(String text) {
    try {
      out.write((text + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot report " + text, e);
    }
  }

  void failed(Throwable cause) {
    line(FAILED + " " + cause.toString().replace('\n', ' '));
  }
}

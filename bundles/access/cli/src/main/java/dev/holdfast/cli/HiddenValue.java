package dev.holdfast.cli;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** Reads secret values from a file or the standard input instead of the arguments. */
final class HiddenValue {
  /** Limit of the input; the store rejects larger values. */
  private static final int MOST = (1 << 20) + 2;

  private HiddenValue() {}

  /** Reads a file or the standard input, without an echo on a terminal. */
  // The program runs on Java 17, where a console implies a terminal.
  @SuppressWarnings("SystemConsoleNull")
  static byte[] read(Optional<Path> file) throws StorageException {
    if (file.isPresent()) {
      return ofFile(file.get());
    }
    Console console = System.console();
    return console == null ? ofInput() : typed(console);
  }

  private static byte[] ofFile(Path file) throws StorageException {
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(MOST);
    } catch (IOException e) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "--from-file " + file + ": cannot be read: " + e.getClass().getSimpleName(),
          e);
    }
  }

  /** Reads the input without one line end at its end, which the command before the pipe adds. */
  private static byte[] ofInput() throws StorageException {
    try {
      byte[] all = System.in.readNBytes(MOST);
      int end = all.length;
      if (end > 0 && all[end - 1] == '\n') {
        end--;
      }
      if (end > 0 && end < all.length && all[end - 1] == '\r') {
        end--;
      }
      return Arrays.copyOf(all, end);
    } catch (IOException e) {
      throw StorageException.io("standard input", e);
    }
  }

  private static byte[] typed(Console console) {
    char[] value = console.readPassword("Value: ");
    if (value == null) {
      return new byte[0];
    }
    ByteBuffer bytes = StandardCharsets.UTF_8.encode(CharBuffer.wrap(value));
    Arrays.fill(value, ' ');
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return copy;
  }
}

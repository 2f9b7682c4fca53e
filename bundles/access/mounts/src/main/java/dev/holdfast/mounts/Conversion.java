package dev.holdfast.mounts;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A run of {@code qemu-img convert} with progress reports in steps of ten percent. */
final class Conversion {
  private static final Pattern PERCENT = Pattern.compile("\\(\\s*(\\d{1,3})\\.\\d+/100%\\)");
  private static final int STEP = 10;

  private final String subject;
  private final Consumer<String> progress;
  private final List<String> messages = new ArrayList<>();
  private int reported;

  /**
   * Creates a run.
   *
   * @param subject start of each line, such as {@code volume demo}
   * @param progress receives the lines
   */
  Conversion(String subject, Consumer<String> progress) {
    this.subject = subject;
    this.progress = progress;
  }

  /**
   * Runs the program and waits for its end.
   *
   * @param program path of qemu-img
   * @param arguments those after {@code convert}
   * @throws StorageException IO with the output of the program; TIMEOUT when interrupted
   */
  void run(String program, List<String> arguments) throws StorageException {
    List<String> command = new ArrayList<>(List.of(program, "convert", "-p"));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("LC_ALL", "C");
    try {
      Process process = builder.start();
      try {
        process.getOutputStream().close();
        read(process);
        int code = process.waitFor();
        if (code != 0) {
          throw new StorageException(
              ErrorCode.IO,
              "qemu-img failed with exit code " + code + ": " + String.join("; ", messages));
        }
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw StorageException.io("qemu-img", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, "qemu-img: interrupted", e);
    }
  }

  /**
   * Reads output. The program overwrites its progress line with a carriage return, which ends a
   * line here.
   */
  private void read(Process process) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.ISO_8859_1))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        accept(line);
      }
    }
  }

  /** Processes one line of the program. */
  void accept(String line) {
    Matcher percent = PERCENT.matcher(line);
    if (percent.find()) {
      int done = Integer.parseInt(percent.group(1)) / STEP * STEP;
      if (done > reported) {
        reported = done;
        progress.accept(subject + ": " + done + " % copied");
      }
    } else if (!line.isBlank()) {
      messages.add(line.strip());
    }
  }
}

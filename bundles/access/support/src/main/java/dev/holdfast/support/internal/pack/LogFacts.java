package dev.holdfast.support.internal.pack;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The lines of log files after a start time, in pieces of several megabytes. A line without a time,
 * for example of a stack trace, belongs to the previous line.
 */
final class LogFacts implements Facts {
  private static final int PIECE = 4 << 20;
  private static final int TIME = "2026-11-28T12:00:00.000".length();

  private final String name;
  private final Path folder;
  private final String glob;

  /**
   * Creates the source.
   *
   * @param name of the folder in the bundle
   * @param glob of the file names
   */
  LogFacts(String name, Path folder, String glob) {
    this.name = name;
    this.folder = folder;
    this.glob = glob;
  }

  @Override
  public void collect(SupportRequest request, SecretFilter filter, EntrySink sink)
      throws IOException {
    for (Path file : files(request.since())) {
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
        copy(lines, file.getFileName().toString(), request, filter, sink);
      } catch (NoSuchFileException e) {
        // The file was rotated after the listing; its lines are in the next file.
      }
    }
  }

  private List<Path> files(Instant since) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(
              file ->
                  file.getFileSystem().getPathMatcher("glob:" + glob).matches(file.getFileName()))
          .filter(file -> isRecent(file, since))
          .sorted(Comparator.comparing(Path::toString))
          .toList();
    }
  }

  private static boolean isRecent(Path file, Instant since) {
    try {
      return !Files.getLastModifiedTime(file).toInstant().isBefore(since);
    } catch (IOException e) {
      return false;
    }
  }

  private void copy(
      BufferedReader lines,
      String file,
      SupportRequest request,
      SecretFilter filter,
      EntrySink sink)
      throws IOException {
    StringBuilder piece = new StringBuilder();
    boolean taken = false;
    int number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Optional<Instant> time = time(line);
      if (time.isPresent()) {
        taken =
            !time.get().isBefore(request.since())
                && request.volume().map(line::contains).orElse(true);
      }
      if (taken) {
        piece.append(line).append('\n');
      }
      if (piece.length() >= PIECE) {
        number++;
        emit(file, number, piece, filter, sink);
      }
    }
    if (piece.length() > 0) {
      emit(file, number + 1, piece, filter, sink);
    }
  }

  private void emit(
      String file, int number, StringBuilder piece, SecretFilter filter, EntrySink sink)
      throws IOException {
    byte[] content = filter.redact(piece.toString()).getBytes(StandardCharsets.UTF_8);
    piece.setLength(0);
    sink.entry(name + "/" + file + (number == 1 ? "" : ".piece-" + number), content);
  }

  /** Returns the time of a line of a log or of the audit log. */
  private static Optional<Instant> time(String line) {
    String text = line;
    int json = line.indexOf("\"requestReceivedTimestamp\":\"");
    if (line.startsWith("{") && json > 0) {
      text = line.substring(json + "\"requestReceivedTimestamp\":\"".length());
      text = text.substring(0, Math.max(0, text.indexOf('"')));
    } else {
      int blank = line.indexOf(' ');
      text = blank < TIME ? "" : line.substring(0, blank);
    }
    try {
      return text.isEmpty()
          ? Optional.empty()
          : Optional.of(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }
}

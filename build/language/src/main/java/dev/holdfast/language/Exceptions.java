package dev.holdfast.language;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Permitted violations, read from {@code exceptions.txt}. */
final class Exceptions {
  static final int MOST = 20;

  /**
   * One permitted wording in one file or folder.
   *
   * @param path file, or folder with a {@code /} at its end
   * @param word the wording as a finding shows it, or {@code *} for all
   * @param reason why it stays
   */
  record Entry(String path, String word, String reason) {
    boolean permits(Finding finding) {
      boolean place =
          path.endsWith("/") ? finding.file().startsWith(path) : finding.file().equals(path);
      return place && (word.equals("*") || finding.word().equalsIgnoreCase(word));
    }
  }

  private final List<Entry> entries;
  private final Set<Entry> used = new LinkedHashSet<>();

  Exceptions(List<Entry> entries) {
    this.entries = entries;
  }

  static Exceptions ofTheTree() {
    try (InputStream in = Exceptions.class.getResourceAsStream("exceptions.txt")) {
      return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads lines {@code path | wording | reason}; other lines are empty or begin with #. */
  static Exceptions parse(String text) {
    return new Exceptions(
        text.lines()
            .filter(line -> !line.isBlank() && !line.startsWith("#"))
            .map(Exceptions::entry)
            .toList());
  }

  private static Entry entry(String line) {
    String[] parts = line.split("\\|", -1);
    if (parts.length != 3 || parts[2].isBlank()) {
      throw new IllegalArgumentException(
          "exceptions.txt: \"" + line + "\": expected: path | wording | reason");
    }
    return new Entry(parts[0].strip(), parts[1].strip(), parts[2].strip());
  }

  boolean permit(Finding finding) {
    List<Entry> fitting = entries.stream().filter(entry -> entry.permits(finding)).toList();
    used.addAll(fitting);
    return !fitting.isEmpty();
  }

  int size() {
    return entries.size();
  }

  /** Returns the entries that permitted nothing. */
  List<Entry> unused() {
    return entries.stream().filter(entry -> !used.contains(entry)).toList();
  }
}

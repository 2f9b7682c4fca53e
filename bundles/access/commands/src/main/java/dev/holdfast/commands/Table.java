package dev.holdfast.commands;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Lines of aligned columns, as {@code kubectl get} prints them. For one thread. */
final class Table {
  private static final String GAP = "   ";

  private final List<List<String>> rows = new ArrayList<>();

  Table(String... headings) {
    rows.add(List.of(headings));
  }

  /** Adds a row. An empty cell is shown as a dash, so that columns can be counted. */
  Table row(Object... cells) {
    rows.add(
        Arrays.stream(cells)
            .map(cell -> printable(String.valueOf(cell)))
            .map(cell -> cell.isEmpty() ? "-" : cell)
            .toList());
    return this;
  }

  /**
   * Returns a text without control characters, so that untrusted text cannot move the cursor or
   * fake a line.
   */
  static String printable(String text) {
    return text.replaceAll("\\p{Cntrl}+", " ");
  }

  /** Returns the table, or a sentence if it has no rows. */
  String orIfEmpty(String sentence) {
    return rows.size() == 1 ? sentence : toString();
  }

  @Override
  public String toString() {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length())).append(GAP);
      }
      lines.add(line.toString().stripTrailing());
    }
    return String.join("\n", lines);
  }
}

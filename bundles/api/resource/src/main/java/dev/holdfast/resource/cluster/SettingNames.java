package dev.holdfast.resource.cluster;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the known name that a misspelled name resembles. */
public final class SettingNames {
  private static final int SHORTEST_WORD = 4;
  private static final int FEW_TYPOS = 3;

  private SettingNames() {}

  /**
   * Returns the known name with the smallest edit distance.
   *
   * @param name an unknown name, not null
   * @param known at least one name, not null
   * @return one of the known names, never null
   */
  public static String nearest(String name, List<String> known) {
    return known.stream().min(Comparator.comparingInt(one -> distance(name, one))).orElseThrow();
  }

  /**
   * Returns whether an unknown name without a dot shares a word with a known name or is similar to
   * it.
   */
  static boolean isMistyped(String name, List<String> known) {
    if (name.contains(".")) {
      return false;
    }
    Set<String> words =
        known.stream()
            .flatMap(SettingNames::words)
            .filter(word -> word.length() >= SHORTEST_WORD)
            .collect(Collectors.toSet());
    boolean shares = name.contains("-") && words(name).anyMatch(words::contains);
    return shares || distance(name, nearest(name, known)) <= FEW_TYPOS;
  }

  private static Stream<String> words(String name) {
    return Arrays.stream(name.split("-"));
  }

  /**
   * Returns the edit distance of two words: the number of inserted, deleted or replaced letters.
   *
   * @param one a word, not null
   * @param other a word, not null
   */
  public static int distance(String one, String other) {
    int[] row = new int[other.length() + 1];
    Arrays.setAll(row, i -> i);
    for (int i = 1; i <= one.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[other.length()];
  }
}

package dev.holdfast.resource.cluster;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.volume.AutoBalance;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The settings that this version reads, with their values. A name with a dot belongs to a
 * third-party plugin, which checks the value itself. An unknown name without a dot is rejected if
 * it resembles a known one. Otherwise it is accepted, because it may belong to a plugin.
 */
final class KnownSettings {
  private static final long MONTH_SECONDS = 30L * 24 * 3600;
  private static final int SHORTEST_WORD = 4;
  private static final int FEW_TYPOS = 3;

  private static final Map<String, Rule> RULES =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("allow-empty-disk-selector-volume", flag()),
              Map.entry("allow-empty-node-selector-volume", flag()),
              Map.entry("audit-reads", flag()),
              Map.entry("audit-required", flag()),
              Map.entry("backing-image-cleanup-wait-interval", number(525_600, " (minutes)")),
              Map.entry("backing-image-recovery-wait-interval", number(86_400, " (seconds)")),
              Map.entry("concurrent-replica-rebuild-per-node-limit", number(1_000, "")),
              Map.entry("detach-manually-attached-volumes-when-cordoned", flag()),
              Map.entry("freeze-filesystem-for-snapshot", flag()),
              Map.entry("image-download-allowed-networks", networks()),
              Map.entry("image-download-proxy", proxy()),
              Map.entry("image-maximum-virtual-size", bytes()),
              Map.entry(
                  "node-down-pod-deletion-policy",
                  choice(
                      "do-nothing",
                      "delete-statefulset-pod",
                      "delete-deployment-pod",
                      "delete-both-statefulset-and-deployment-pod")),
              Map.entry("offline-replica-rebuilding", flag()),
              Map.entry("remove-snapshots-during-filesystem-trim", flag()),
              Map.entry(
                  "replica-auto-balance",
                  choice(
                      Stream.of(AutoBalance.values())
                          .filter(value -> value != AutoBalance.IGNORED)
                          .map(AutoBalance::toString)
                          .toArray(String[]::new))),
              Map.entry("replica-disk-soft-anti-affinity", flag()),
              Map.entry("replica-rebuild-bytes-per-second", bytes()),
              Map.entry("replica-replenishment-wait-interval", number(MONTH_SECONDS, " (seconds)")),
              Map.entry("replica-soft-anti-affinity", flag()),
              Map.entry("replica-zone-soft-anti-affinity", flag()),
              Map.entry("snapshot-scrub-bytes-per-second", bytes()),
              Map.entry("snapshot-scrub-interval", number(99_999, " (hours)")),
              Map.entry("storage-minimal-available-percentage", number(100, "")),
              Map.entry("storage-over-provisioning-percentage", number(10_000, ""))));

  private static final Set<String> WORDS =
      RULES.keySet().stream()
          .flatMap(KnownSettings::words)
          .filter(word -> word.length() >= SHORTEST_WORD)
          .collect(Collectors.toSet());

  private KnownSettings() {}

  /** Checks a value. */
  private interface Rule {
    /** Returns the expected form, empty when the value is valid. */
    Optional<String> broken(String value);
  }

  static boolean isKnown(String name) {
    return RULES.containsKey(name);
  }

  static List<FieldError> validate(String name, String value) {
    if (!isKnown(name)) {
      return new Checks()
          .that(
              !isMistyped(name),
              "metadata.name",
              name,
              "is not a setting; the nearest one is " + nearest(name))
          .errors();
    }
    String text = value.strip();
    Optional<String> expected = text.isEmpty() ? Optional.empty() : RULES.get(name).broken(text);
    return new Checks().that(expected.isEmpty(), "spec.value", value, expected.orElse("")).errors();
  }

  /** Returns the known name that takes the fewest changes. */
  static String nearest(String name) {
    return RULES.keySet().stream()
        .min(Comparator.comparingInt(known -> distance(name, known)))
        .orElseThrow();
  }

  private static boolean isMistyped(String name) {
    if (name.contains(".")) {
      return false;
    }
    boolean shares = name.contains("-") && words(name).anyMatch(WORDS::contains);
    return shares || distance(name, nearest(name)) <= FEW_TYPOS;
  }

  private static Stream<String> words(String name) {
    return Arrays.stream(name.split("-"));
  }

  private static Rule flag() {
    return choice("true", "false");
  }

  private static Rule choice(String... values) {
    List<String> allowed = List.of(values);
    String last = allowed.get(allowed.size() - 1);
    String others = String.join(", ", allowed.subList(0, allowed.size() - 1));
    return value ->
        Optional.of("must be " + others + " or " + last).filter(text -> !allowed.contains(value));
  }

  private static Rule number(long most, String unit) {
    BigInteger limit = BigInteger.valueOf(most);
    return value ->
        Optional.of("must be a whole number from 0 to " + most + unit)
            .filter(
                text -> !value.matches("\\d{1,18}") || new BigInteger(value).compareTo(limit) > 0);
  }

  private static Rule bytes() {
    return value -> {
      try {
        Quantity.parse(value);
        return Optional.empty();
      } catch (IllegalArgumentException e) {
        return Optional.of("must be an amount of bytes such as 100Mi, or 0 for no limit");
      }
    };
  }

  private static Rule networks() {
    String octets = "\\d{1,3}(\\.\\d{1,3}){3}(/([12]?\\d|3[0-2]))?";
    String groups = "[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(/(1[01]\\d|12[0-8]|[1-9]?\\d))?";
    String one = "\\s*(" + octets + "|" + groups + ")\\s*";
    return value ->
        Optional.of("must be networks such as 10.1.0.0/16,fd00::/8, separated by commas")
            .filter(text -> !value.matches(one + "(," + one + ")*"));
  }

  private static Rule proxy() {
    String host = "([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])";
    return value ->
        Optional.of("must be the address of an HTTP proxy such as http://proxy.example:3128")
            .filter(text -> !value.matches("http://" + host + ":[1-9]\\d{0,4}/?"));
  }

  /** Levenshtein's: insertions, deletions and replacements of single letters. */
  private static int distance(String one, String other) {
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

package dev.holdfast.host;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Options of nfs(5) for mounts of version 4 over TCP. Stateless. */
public final class NfsMountOptions {
  private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9_=.:+-]+");
  private static final Set<String> VERSIONS = Set.of("4", "4.0", "4.1", "4.2");

  // The export determines the first ones. The others would let a mount continue in the background.
  private static final Set<String> RESERVED =
      Set.of("port", "addr", "mountaddr", "mountport", "bg", "retry");

  private NfsMountOptions() {}

  /**
   * Checks options and returns them one by one.
   *
   * @param text options, separated by commas
   * @throws IllegalArgumentException if an option cannot be used, with the reason
   */
  public static List<String> parse(String text) {
    List<String> options = Arrays.stream(text.split(",", -1)).map(String::strip).toList();
    options.forEach(NfsMountOptions::check);
    return options;
  }

  private static void check(String option) {
    if (!ALLOWED.matcher(option).matches() || option.startsWith("-")) {
      throw new IllegalArgumentException(
          "must be options of nfs(5), separated by commas, of letters, digits and _=.:+- only");
    }
    String name = option.replaceFirst("=.*", "");
    String value = option.substring(Math.min(option.length(), name.length() + 1));
    if (RESERVED.contains(name)) {
      throw new IllegalArgumentException(name + " cannot be set: leave it out");
    }
    if ((name.equals("vers") || name.equals("nfsvers")) && !VERSIONS.contains(value)) {
      throw new IllegalArgumentException(
          name + " must be 4, 4.0, 4.1 or 4.2, because no other version is supported");
    }
    if ((name.equals("proto") && !value.startsWith("tcp")) || name.equals("udp")) {
      throw new IllegalArgumentException(option + ": only TCP is supported: leave it out");
    }
  }
}

package dev.holdfast.mounts;

import dev.holdfast.share.ShareManager;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Options of nfs(5) with which shares are mounted. Stateless. */
public final class NfsOptions {
  /**
   * The options of a mount for which none are given. It is hard: a program waits while the server
   * is away, and never sees an I/O error because of that.
   */
  public static final String DEFAULT = "vers=4.1,noresvport,hard,timeo=600,retrans=5";

  private static final Pattern ALLOWED = Pattern.compile("[A-Za-z0-9_=.:+-]+");
  private static final Set<String> VERSIONS = Set.of("4", "4.0", "4.1", "4.2");

  // The endpoint gives the first ones. The others keep a mount from ending in time.
  private static final Set<String> RESERVED =
      Set.of("port", "addr", "mountaddr", "mountport", "bg", "retry");

  private NfsOptions() {}

  /**
   * Checks options and returns them one by one.
   *
   * @param text options, separated by commas; blank for the default ones
   * @throws IllegalArgumentException if an option cannot be used, with the reason
   */
  public static List<String> parse(String text) {
    String given = text.isBlank() ? DEFAULT : text;
    List<String> options = Arrays.stream(given.split(",", -1)).map(String::strip).toList();
    options.forEach(NfsOptions::check);
    return options;
  }

  /** Returns the options of a share; the default ones when it names none, or is absent. */
  public static List<String> of(Optional<ShareManager> share) {
    List<String> own = share.map(found -> found.spec().mountOptions()).orElse(List.of());
    return parse(String.join(",", own));
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
          name + " must be 4, 4.0, 4.1 or 4.2, because shares speak no other version");
    }
    if ((name.equals("proto") && !value.startsWith("tcp")) || name.equals("udp")) {
      throw new IllegalArgumentException(option + ": shares speak TCP only");
    }
  }
}

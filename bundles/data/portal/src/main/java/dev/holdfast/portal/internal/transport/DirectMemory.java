package dev.holdfast.portal.internal.transport;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The direct memory of this process, and the portal's share of it. */
final class DirectMemory {
  private static final Pattern OPTION =
      Pattern.compile("-XX:MaxDirectMemorySize=(\\d+)([kKmMgGtT]?)");
  private static final int SHARE = 2;
  private static final long LEAST = 64L << 20;

  private DirectMemory() {}

  /**
   * Returns the portal's share in bytes: half. Engines, frontends, calls between nodes and TLS use
   * the other half; their needs do not grow with clients' input.
   */
  static long share() {
    return share(
        ManagementFactory.getRuntimeMXBean().getInputArguments(), Runtime.getRuntime().maxMemory());
  }

  static long share(List<String> options, long heap) {
    long maximum = heap;
    for (String option : options) {
      Matcher matcher = OPTION.matcher(option);
      if (matcher.matches()) {
        long given = Long.parseLong(matcher.group(1)) << shift(matcher.group(2));
        maximum = given == 0 ? heap : given;
      }
    }
    return Math.max(LEAST, maximum / SHARE);
  }

  private static int shift(String unit) {
    return switch (unit.toLowerCase(Locale.ROOT)) {
      case "k" -> 10;
      case "m" -> 20;
      case "g" -> 30;
      case "t" -> 40;
      default -> 0;
    };
  }
}

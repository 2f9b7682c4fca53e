package dev.holdfast.page.internal;

import dev.holdfast.page.contribution.PageContribution;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * One contribution of a bundle, with what it says of itself.
 *
 * @param name that no other contribution has
 * @param origin of the contribution
 * @param entry path of its ES module
 * @param kinds plural names that it reads
 * @param service gives its files
 */
record Contribution(
    String name, Origin origin, String entry, List<String> kinds, PageContribution service) {
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
  private static final Pattern KIND = Pattern.compile("[a-z]{1,63}");
  private static final Pattern PATH =
      Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*");
  private static final int MOST_KINDS = 16;
  private static final int LONGEST_PATH = 512;

  /**
   * The bundle of a contribution.
   *
   * @param bundle symbolic name
   * @param version of the bundle
   * @param revision changes whenever the bundle is updated, also to the same version
   */
  record Origin(String bundle, String version, String revision) {}

  Contribution {
    kinds = List.copyOf(kinds);
    Objects.requireNonNull(service, "service");
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "name \"" + name + "\": expected lower-case letters, digits and dashes, at most 63");
    }
    if (!isPath(entry)) {
      throw new IllegalArgumentException(
          "entry module \"" + entry + "\": expected a relative path such as index.js");
    }
    if (kinds.size() > MOST_KINDS || !kinds.stream().allMatch(k -> KIND.matcher(k).matches())) {
      throw new IllegalArgumentException(
          "kinds " + kinds + ": expected at most " + MOST_KINDS + " plural names such as volumes");
    }
  }

  /**
   * Reads what a service says of itself.
   *
   * @throws IllegalArgumentException when it cannot be shown; the message names the value
   */
  static Contribution of(PageContribution service, Origin origin) {
    return new Contribution(
        service.name(), origin, service.entryModule(), service.kinds(), service);
  }

  /** Returns whether a path may be passed to a contribution. */
  static boolean isPath(String path) {
    return path.length() <= LONGEST_PATH && PATH.matcher(path).matches();
  }
}

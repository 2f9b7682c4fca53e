package dev.holdfast.page.contribution.testkit;

import dev.holdfast.page.contribution.PageContribution;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * The node's listing of the contribution. The script of the visit changes it, as an administrator
 * changes bundles and rights.
 */
final class ShownContribution {
  private final PageContribution contribution;
  private volatile boolean installed = true;
  private volatile boolean readable = true;
  private final AtomicInteger revision = new AtomicInteger(1);
  private volatile boolean requestedWhileWithheld;

  ShownContribution(PageContribution contribution) {
    this.contribution = contribution;
  }

  /** Applies a step of the visit. */
  void apply(String step) {
    switch (step) {
      case "replace" -> revision.incrementAndGet();
      case "remove" -> installed = false;
      case "withhold" -> {
        readable = false;
        revision.incrementAndGet();
        installed = true;
      }
      default -> throw new IllegalArgumentException("unknown step " + step);
    }
  }

  boolean isReadable() {
    return readable;
  }

  /** Returns whether the script was requested while the user had no right to its kinds. */
  boolean wasRequestedWhileWithheld() {
    return requestedWhileWithheld;
  }

  PageContribution asked() {
    requestedWhileWithheld |= !readable;
    return contribution;
  }

  /** Returns the contributions of the node as JSON. */
  String listing() {
    String kinds =
        contribution.kinds().stream()
            .map(kind -> '"' + kind + '"')
            .collect(Collectors.joining(",", "[", "]"));
    return installed
        ? """
          [{"name": "%s", "bundle": "contribution.under.test", "version": "1.0.0",
            "revision": "1.0.0-%s", "entry": "%s", "kinds": %s}]
          """
            .formatted(contribution.name(), revision.get(), PageServer.ENTRY, kinds)
        : "[]";
  }
}

package dev.holdfast.page.contribution.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.holdfast.page.contribution.PageContribution;
import java.io.IOException;
import java.net.URL;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Conformance of a contribution to the web page. The kit opens the page of this release with the
 * contribution in Chromium once, replaces and removes the contribution during the visit, and then
 * checks the observations. A test extends it and supplies the contribution.
 *
 * <p>Chromium is the program {@code chromium}, or the one that the system property {@code
 * holdfast.chromium} names.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ContributionKit {
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
  private static final Pattern KIND = Pattern.compile("[a-z]{1,63}");
  private static final int MOST_KINDS = 16;
  private static final int LARGEST_FILE = 4 << 20;
  private static final int BUSY_LIMIT_MILLIS = 3000;

  private Report report = Report.EMPTY;

  /** For subclasses. */
  protected ContributionKit() {}

  /**
   * Returns the contribution under test.
   *
   * @return a contribution, never null; the kit calls it on several threads
   */
  protected abstract PageContribution contribution();

  /**
   * Returns the resources that the page shows to the contribution, in the JSON of the API. Each tab
   * must apply to one of them, and each column shows the first one of its kind.
   *
   * @return resources by the plural name of their kind, never null; by default a volume and a
   *     backing image named {@code sample}
   */
  protected Map<String, List<String>> resources() {
    return SampleResources.all();
  }

  /**
   * Shows the contribution to the kit's user in Chromium.
   *
   * @throws IOException when Chromium cannot be started
   */
  @BeforeAll
  final void show() throws IOException {
    if (describesItself()) {
      try (PageServer server = PageServer.of(contribution(), resources())) {
        report = Chromium.visit(server);
      }
    }
  }

  private boolean describesItself() {
    PageContribution found = contribution();
    return NAME.matcher(found.name()).matches() && found.resource(found.entryModule()).isPresent();
  }

  /** The page accepts the name, the kinds and the entry module. */
  @Test
  final void descriptionIsValid() throws IOException {
    PageContribution found = contribution();
    assertThat(found.name())
        .as("name(): expected lower-case letters, digits and dashes, at most 63")
        .matches(NAME);
    assertThat(found.kinds())
        .as("kinds(): expected at most %s plural names such as volumes", MOST_KINDS)
        .hasSizeLessThanOrEqualTo(MOST_KINDS)
        .allMatch(kind -> KIND.matcher(kind).matches());
    Optional<URL> entry = found.resource(found.entryModule());
    assertThat(entry)
        .as("resource(\"%s\"): expected the entry module, found nothing", found.entryModule())
        .isPresent();
    try (var in = entry.get().openStream()) {
      assertThat(in.readNBytes(LARGEST_FILE + 1).length)
          .as("%s: expected at most %s bytes", found.entryModule(), LARGEST_FILE)
          .isLessThanOrEqualTo(LARGEST_FILE);
    }
  }

  /** A file that does not exist is reported as absent, so that the page answers 404. */
  @Test
  final void absentFileIsAbsent() {
    assertThat(contribution().resource("no-such-file.js"))
        .as("resource(\"no-such-file.js\"): expected empty for a file that does not exist")
        .isEmpty();
  }

  /**
   * The default function of the entry module ends without an error and registers at least one part.
   */
  @Test
  final void scriptLoadsAndRegisters() {
    assertThat(report.value("state"))
        .as("the page says of the contribution: %s", report.value("message"))
        .isEqualTo("ready");
    assertThat(report.values("part"))
        .as(
            "expected that the default function registers a tab, a column, a card or a form, found none")
        .isNotEmpty();
  }

  /** The page remains responsive while the script loads. */
  @Test
  final void scriptLeavesTheBrowserResponsive() {
    int busy = report.values("busy").stream().mapToInt(Integer::parseInt).max().orElse(0);
    assertThat(busy)
        .as("the script kept the browser busy for %s ms at a time while it loaded", busy)
        .isLessThan(BUSY_LIMIT_MILLIS);
  }

  /** Each card, form and column, and each tab where it applies, is shown without an error. */
  @Test
  final void everyPartIsShown() {
    requireLoaded();
    assertThat(report.values("failure"))
        .as("expected that each registered part is shown without an error")
        .isEmpty();
    assertThat(report.values("shown"))
        .as("expected that the page shows what was registered")
        .containsExactlyInAnyOrderElementsOf(report.values("part"));
  }

  /** Scripts, styles and requests comply with the content security policy of the page. */
  @Test
  final void contentSecurityPolicyIsKept() {
    assertThat(report.values("violation"))
        .as("expected no inline script or style, and no request to another server")
        .isEmpty();
  }

  /** After a replacement of the bundle each part is shown once. */
  @Test
  final void replacementShowsEachPartOnce() {
    requireLoaded();
    assertThat(report.values("again"))
        .as("expected each part once after the replacement of the bundle under the open page")
        .containsExactlyInAnyOrderElementsOf(report.values("part"));
  }

  /** The parts disappear from the open page with the bundle. */
  @Test
  final void partsLeaveWithTheBundle() {
    requireLoaded();
    assertThat(report.values("left"))
        .as("expected that no part stays in the open page after the bundle stopped")
        .isEmpty();
    assertThat(report.value("removed")).isEqualTo("yes");
  }

  /** A user who may not list a kind of the contribution does not receive the script. */
  @Test
  final void scriptIsWithheldFromAUserWhoMayNotReadItsKinds() {
    requireLoaded();
    assumeThat(contribution().kinds()).as("the contribution reads no kinds").isNotEmpty();
    assertThat(report.value("hidden")).isEqualTo("hidden");
    assertThat(report.value("withheld")).isEqualTo("yes");
  }

  private void requireLoaded() {
    if (!report.value("state").equals("ready")) {
      fail("the script did not load: %s", report.value("message"));
    }
  }
}

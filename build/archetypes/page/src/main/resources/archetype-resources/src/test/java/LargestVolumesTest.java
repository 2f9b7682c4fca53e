package ${package};

import dev.holdfast.page.contribution.PageContribution;
import dev.holdfast.page.contribution.testkit.ContributionKit;

/** The conformance kit: the page with the contribution, in Chromium. */
class LargestVolumesTest extends ContributionKit {
  @Override
  protected PageContribution contribution() {
    return new LargestVolumes();
  }
}

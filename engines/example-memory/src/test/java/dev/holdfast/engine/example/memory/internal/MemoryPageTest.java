package dev.holdfast.engine.example.memory.internal;

import dev.holdfast.page.contribution.PageContribution;
import dev.holdfast.page.contribution.testkit.ContributionKit;
import java.util.List;
import java.util.Map;

/** The conformance kit, with a volume of this engine. */
class MemoryPageTest extends ContributionKit {
  @Override
  protected PageContribution contribution() {
    return new MemoryPage();
  }

  @Override
  protected Map<String, List<String>> resources() {
    return Map.of(
        "volumes",
        super.resources().get("volumes").stream()
            .map(volume -> volume.replace("\"sparse\"", "\"example-memory\""))
            .toList());
  }
}

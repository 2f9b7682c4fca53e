package dev.holdfast.page.contribution.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.page.contribution.PageContribution;
import dev.holdfast.rule.testkit.PlantedRun;
import java.net.URL;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The kit passes a good contribution, and finds each planted wrong one. */
class ContributionKitFindsTest {
  private record Planted(String name, List<String> kinds, String entryModule)
      implements PageContribution {
    static Planted of(String script) {
      return new Planted("planted", List.of("volumes", "settings"), script + ".js");
    }

    @Override
    public Optional<URL> resource(String path) {
      return Optional.ofNullable(ContributionKitFindsTest.class.getResource("/planted/" + path));
    }
  }

  static final class Good extends ContributionKit {
    @Override
    protected PageContribution contribution() {
      return Planted.of("good");
    }
  }

  static final class ThrowsAtLoad extends ContributionKit {
    @Override
    protected PageContribution contribution() {
      return Planted.of("throws-at-load");
    }
  }

  static final class RegistersForAnotherKind extends ContributionKit {
    @Override
    protected PageContribution contribution() {
      return Planted.of("other-kind");
    }
  }

  /** Loops for 5 s, shows a card that throws, and adds an inline style and a part of its own. */
  static final class Wrong extends ContributionKit {
    @Override
    protected PageContribution contribution() {
      return Planted.of("wrong");
    }
  }

  static final class HasNoEntry extends ContributionKit {
    @Override
    protected PageContribution contribution() {
      return new Planted("Not A Name", List.of(), "absent.js");
    }
  }

  @Test
  void goodContributionPasses() {
    PlantedRun run = PlantedRun.of(Good.class);
    assertThat(run.failures()).isEmpty();
    assertThat(run.passed()).isEqualTo(9);
  }

  @Test
  void scriptThatThrowsIsFound() {
    assertThat(PlantedRun.of(ThrowsAtLoad.class).failureOf("scriptLoadsAndRegisters"))
        .contains("planted");
  }

  @Test
  void registrationForAnUndeclaredKindIsFound() {
    assertThat(PlantedRun.of(RegistersForAnotherKind.class).failureOf("scriptLoadsAndRegisters"))
        .contains("does not declare the kind \"backingimages\"");
  }

  @Test
  void loopFailureInlineStyleAndRemainsAreFound() {
    PlantedRun run = PlantedRun.of(Wrong.class);
    assertThat(run.failureOf("scriptLeavesTheBrowserResponsive")).contains("kept the browser busy");
    assertThat(run.failureOf("everyPartIsShown"))
        .contains(
            "card failing: ",
            "column failing: ",
            "form other: ",
            "the form names planted.limit only",
            "tab never: appliesTo accepts no resource of resources()");
    assertThat(run.failureOf("contentSecurityPolicyIsKept")).contains("style-src");
    assertThat(run.failureOf("replacementShowsEachPartOnce")).contains("card remains");
    assertThat(run.failureOf("partsLeaveWithTheBundle")).contains("card remains");
  }

  @Test
  void wrongDescriptionIsFound() {
    PlantedRun run = PlantedRun.of(HasNoEntry.class);
    assertThat(run.failureOf("descriptionIsValid")).contains("Not A Name");
  }
}

package dev.holdfast.engine.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The topics about exports accept a sound engine, and each finds the engines that break a rule. */
class ExportKitFindsTest {
  private static final Map<String, Class<?>> TOPICS =
      Map.of(
          "Capabilities", EngineKit.Capabilities.class,
          "Exports", EngineKit.Exports.class,
          "ExportControl", EngineKit.ExportControl.class,
          "ExportLife", EngineKit.ExportLife.class);

  private static TestExecutionSummary run(ToyFault fault, List<DiscoverySelector> selectors) {
    ToyKit.FAULT.set(fault);
    try {
      SummaryGeneratingListener listener = new SummaryGeneratingListener();
      LauncherFactory.create()
          .execute(
              LauncherDiscoveryRequestBuilder.request().selectors(selectors).build(), listener);
      return listener.getSummary();
    } finally {
      ToyKit.FAULT.remove();
    }
  }

  @Test
  void soundEnginePasses() {
    TestExecutionSummary summary =
        run(
            ToyFault.NONE,
            TOPICS.entrySet().stream()
                .filter(topic -> topic.getKey().startsWith("Export"))
                .map(Map.Entry::getValue)
                .map(topic -> selectNestedClass(List.of(ToyKit.class), topic))
                .collect(Collectors.toList()));
    assertThat(summary.getFailures())
        .extracting(failure -> failure.getTestIdentifier().getDisplayName(), String::valueOf)
        .isEmpty();
    assertThat(summary.getTestsSucceededCount()).isGreaterThan(25);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void brokenRuleIsFound(ToyFault fault) {
    TestExecutionSummary summary =
        run(
            fault,
            List.of(
                selectNestedMethod(
                    List.of(ToyKit.class), TOPICS.get(fault.topic()), fault.test())));
    assertThat(summary.getTestsFailedCount()).as("%s by %s", fault, fault.test()).isEqualTo(1);
    assertThat(summary.getFailures().get(0).getException()).isInstanceOf(Throwable.class);
  }
}

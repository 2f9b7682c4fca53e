package dev.holdfast.rule.testkit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs a kit with a planted faulty plugin inside a test, and collects the kit's results. The class
 * of the kit with the plugin is package-private, static and named so that the build does not run it
 * as a test.
 */
public final class PlantedRun {
  private final Map<String, String> failures = new TreeMap<>();
  private int passed;

  private PlantedRun() {}

  /**
   * Runs all rules of a kit.
   *
   * @param kit a class that extends a kit, not null
   * @return results of the run, never null
   */
  public static PlantedRun of(Class<?> kit) {
    return run(selectClass(kit));
  }

  /**
   * Runs one rule of a kit.
   *
   * @param kit a class that extends a kit, not null
   * @param rule name of the method without parameters, not null
   * @return results of the run, never null
   */
  public static PlantedRun of(Class<?> kit, String rule) {
    return run(selectMethod(kit, rule));
  }

  /**
   * Runs one rule of a topic of a kit.
   *
   * @param kit a class that extends a kit, and the topics around the topic; not null
   * @param topic the nested class, not null
   * @param rule name of the method without parameters, not null
   * @return results of the run, never null
   */
  public static PlantedRun of(List<Class<?>> kit, Class<?> topic, String rule) {
    return run(selectNestedMethod(kit, topic, rule));
  }

  private static PlantedRun run(DiscoverySelector selector) {
    PlantedRun run = new PlantedRun();
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request().selectors(selector).build();
    LauncherFactory.create().execute(request, run.new Results());
    return run;
  }

  /** Returns the messages of failures by method name, never null. */
  public Map<String, String> failures() {
    return Map.copyOf(failures);
  }

  /** Returns the number of tests that passed. */
  public int passed() {
    return passed;
  }

  /**
   * Returns the message of a rule that must fail.
   *
   * @param rule name of the method, not null
   * @return the message, never null
   * @throws AssertionError when the rule passed or did not run
   */
  public String failureOf(String rule) {
    String message = failures.get(rule);
    if (message == null) {
      throw new AssertionError(
          "expected a failure of " + rule + ", found failures of " + failures.keySet());
    }
    return message;
  }

  private final class Results implements TestExecutionListener {
    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      switch (result.getStatus()) {
        case SUCCESSFUL -> passed += test.isTest() ? 1 : 0;
        case FAILED ->
            failures.put(
                test.getSource()
                    .filter(MethodSource.class::isInstance)
                    .map(source -> ((MethodSource) source).getMethodName())
                    .orElse(test.getDisplayName()),
                result.getThrowable().map(String::valueOf).orElse(""));
        case ABORTED -> {}
      }
    }
  }
}

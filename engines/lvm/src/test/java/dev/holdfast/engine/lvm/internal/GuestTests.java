package dev.holdfast.engine.lvm.internal;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Runs test classes inside a virtual machine; the arguments are their names, nested ones after $.
 */
final class GuestTests {
  static final String PASSED = "tests passed: ";

  private GuestTests() {}

  private static DiscoverySelector selector(String name) {
    String[] parts = name.split("[:#]", -1);
    return switch (parts.length) {
      case 1 -> DiscoverySelectors.selectClass(parts[0]);
      case 2 -> DiscoverySelectors.selectNestedClass(List.of(parts[0]), parts[1]);
      default -> DiscoverySelectors.selectNestedMethod(List.of(parts[0]), parts[1], parts[2]);
    };
  }

  public static void main(String[] names) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(Arrays.stream(names).map(GuestTests::selector).toList())
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener, new Progress());
    listener
        .getSummary()
        .printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    System.out.println(PASSED + listener.getSummary().getTestsSucceededCount());
    System.exit(listener.getSummary().getTotalFailureCount() == 0 ? 0 : 1);
  }
}

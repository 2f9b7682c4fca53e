package dev.holdfast.initiator.kernel.internal;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs test classes inside a virtual machine; the arguments are their names. */
final class GuestTests {
  static final String PASSED = "tests passed: ";

  private GuestTests() {}

  public static void main(String[] names) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(Arrays.stream(names).map(DiscoverySelectors::selectClass).toList())
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    listener
        .getSummary()
        .printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    System.out.println(PASSED + listener.getSummary().getTestsSucceededCount());
    System.exit(listener.getSummary().getTotalFailureCount() == 0 ? 0 : 1);
  }
}

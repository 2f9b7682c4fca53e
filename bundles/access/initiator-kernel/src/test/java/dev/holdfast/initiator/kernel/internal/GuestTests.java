package dev.holdfast.initiator.kernel.internal;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs a test class inside a virtual machine; the argument is its name. */
final class GuestTests {
  static final String PASSED = "tests passed: ";

  private GuestTests() {}

  public static void main(String[] names) {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request().selectors(selectClass(names[0])).build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    listener
        .getSummary()
        .printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
    System.out.println(PASSED + listener.getSummary().getTestsSucceededCount());
    System.exit(listener.getSummary().getTotalFailureCount() == 0 ? 0 : 1);
  }
}

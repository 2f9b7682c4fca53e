package dev.holdfast.page.internal;

import dev.holdfast.access.BrowserSessions;
import dev.holdfast.access.RootExtension;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceRegistration;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/** Adds the page, and the sessions of its users, to the API server of the node. */
@Component(
    immediate = true,
    service = {})
public final class PageComponent {
  private final List<ServiceRegistration<?>> registrations;

  /**
   * Registers both.
   *
   * @throws IOException when the bundle was built without the page's files
   */
  @Activate
  public PageComponent(BundleContext context) throws IOException {
    String data = context.getProperty("holdfast.data");
    if (data == null || data.isBlank()) {
      throw new IllegalStateException("holdfast.data is not set: it names the state directory");
    }
    Clock clock = Clock.systemUTC();
    PageSecrets secrets = new PageSecrets();
    SessionTable sessions =
        new SessionTable(clock, secrets, new SessionFile(Path.of(data.strip())));
    SignIn signIn = new SignIn(new OneTimeCodes(clock, secrets), sessions);
    PageRoot root = new PageRoot(PageFiles.read(PageComponent.class), signIn);
    registrations =
        List.of(
            context.registerService(BrowserSessions.class, new PageSessions(sessions), null),
            context.registerService(RootExtension.class, root, null));
  }

  /** Removes both; the sessions stay in their file. */
  @Deactivate
  public void close() {
    registrations.forEach(ServiceRegistration::unregister);
  }
}

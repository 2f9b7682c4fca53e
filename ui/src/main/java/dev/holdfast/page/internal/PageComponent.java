package dev.holdfast.page.internal;

import dev.holdfast.access.BrowserSessions;
import dev.holdfast.access.IdentityProvider;
import dev.holdfast.access.RootExtension;
import dev.holdfast.audit.AuditLog;
import dev.holdfast.page.contribution.PageContribution;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.framework.ServiceRegistration;
import org.osgi.framework.Version;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/** Adds the page, and the sessions of its users, to the API server of the node. */
@Component(
    immediate = true,
    service = {})
public final class PageComponent {
  private final BundleContext context;
  private final Contributions contributions = new Contributions();
  private final AtomicReference<IdentityProvider> provider = new AtomicReference<>();
  private final List<ServiceRegistration<?>> registrations;

  /**
   * Registers both.
   *
   * @throws IOException when the bundle was built without the page's files
   */
  @Activate
  public PageComponent(@Reference AuditLog audit, BundleContext context) throws IOException {
    String data = context.getProperty("holdfast.data");
    if (data == null || data.isBlank()) {
      throw new IllegalStateException("holdfast.data is not set: it names the state directory");
    }
    this.context = context;
    Clock clock = Clock.systemUTC();
    PageSecrets secrets = new PageSecrets();
    SessionTable sessions =
        new SessionTable(clock, secrets, new SessionFile(Path.of(data.strip())));
    SignIn signIn = new SignIn(new OneTimeCodes(clock, secrets), sessions);
    ProviderSignIn providerSignIn =
        new ProviderSignIn(
            () -> Optional.ofNullable(provider.get()),
            new PendingSignIns(clock, secrets),
            sessions,
            new SignInAudit(audit, clock));
    PageRoot root =
        new PageRoot(PageFiles.read(PageComponent.class), signIn, providerSignIn, contributions);
    registrations =
        List.of(
            context.registerService(BrowserSessions.class, new PageSessions(sessions), null),
            context.registerService(RootExtension.class, root, null));
  }

  /** Users of this provider can sign in. */
  @Reference(
      cardinality = ReferenceCardinality.OPTIONAL,
      policy = ReferencePolicy.DYNAMIC,
      policyOption = ReferencePolicyOption.GREEDY)
  void addIdentityProvider(IdentityProvider added) {
    provider.set(added);
  }

  void removeIdentityProvider(IdentityProvider gone) {
    provider.compareAndSet(gone, null);
  }

  /** Shows the contribution of a bundle. */
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addContribution(PageContribution added, Map<String, Object> properties) {
    Bundle bundle = context.getBundle((Long) properties.get(Constants.SERVICE_BUNDLEID));
    if (bundle != null) {
      Version version = bundle.getVersion();
      // The time of the last update differs when a bundle is updated to the same version.
      String revision = version + "-" + Long.toString(bundle.getLastModified(), 36);
      contributions.add(
          added, new Contribution.Origin(bundle.getSymbolicName(), version.toString(), revision));
    }
  }

  void removeContribution(PageContribution gone) {
    contributions.remove(gone);
  }

  /** Removes both; the sessions stay in their file. */
  @Deactivate
  public void close() {
    registrations.forEach(ServiceRegistration::unregister);
  }
}

package dev.holdfast.apiserver.internal;

import dev.holdfast.access.AccessControl;
import dev.holdfast.access.ApiDocument;
import dev.holdfast.access.ApiExtension;
import dev.holdfast.access.BrowserSessions;
import dev.holdfast.access.ClusterUsers;
import dev.holdfast.access.IdentityProvider;
import dev.holdfast.access.RootExtension;
import dev.holdfast.apiserver.internal.auth.Credentials;
import dev.holdfast.apiserver.internal.auth.KnownMembers;
import dev.holdfast.apiserver.internal.auth.UserCertificates;
import dev.holdfast.audit.AuditLog;
import dev.holdfast.certificates.CertificateRenewal;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.cluster.ClusterMembers;
import dev.holdfast.error.StorageException;
import dev.holdfast.http.TrustedProxies;
import dev.holdfast.metrics.MetricSource;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The API server of a node: serves its store, and writes the kubeconfig for clients. */
@Component(immediate = true, service = ApiServerComponent.class)
public final class ApiServerComponent {
  private static final Logger LOG = LoggerFactory.getLogger(ApiServerComponent.class);

  private final AtomicReference<ClusterMembers> members = new AtomicReference<>();
  private final Extensions extensions = new Extensions();
  private static final Duration KUBECONFIG_PERIOD = Duration.ofSeconds(15);

  private final RunningServer server;
  private final CertificateRenewal kubeconfig;

  /** Starts the server. */
  @Activate
  public ApiServerComponent(
      @Reference ResourceStore store,
      @Reference KindCatalogue kinds,
      @Reference NodeTls tls,
      @Reference AccessControl access,
      @Reference AuditLog audit,
      BundleContext context)
      throws StorageException {
    ApiSettings settings = ApiSettings.read(context::getProperty);
    Credentials credentials = new Credentials(settings.data());
    String token = credentials.token();
    server =
        RunningServer.start(
            settings.address(),
            tls.serverContext(),
            new KnownMembers(
                token, settings.decidesMembers(), () -> Optional.ofNullable(members.get())),
            context.getBundle().getVersion().toString(),
            new RunningServer.Content(
                store,
                kinds,
                extensions,
                access,
                audit,
                UserCertificates.of(tls.userTrust(), System::nanoTime)));
    try {
      String url = settings.url(server.port());
      credentials.writeKubeconfig(url, tls.caCertificate(), token);
      kubeconfig =
          CertificateRenewal.start(
              "write the present authorities to the kubeconfig",
              KUBECONFIG_PERIOD,
              () -> {
                credentials.writeKubeconfig(url, tls.caCertificate(), token);
                return false;
              });
      LOG.info("The API is served at {}", url);
    } catch (StorageException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Trusts these proxies from the next request on. */
  void trust(TrustedProxies proxies) {
    server.trust(proxies);
  }

  MetricSource metrics() {
    return server.metrics();
  }

  /** Adds a subresource of another bundle. */
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addExtension(ApiExtension extension) {
    extensions.add(extension);
  }

  void removeExtension(ApiExtension extension) {
    extensions.remove(extension);
  }

  /** Adds a document of another bundle. */
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addDocument(ApiDocument document) {
    extensions.add(document);
  }

  void removeDocument(ApiDocument document) {
    extensions.remove(document);
  }

  /** Adds the paths of another bundle. */
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addRoot(RootExtension root) {
    extensions.add(root);
  }

  void removeRoot(RootExtension root) {
    extensions.remove(root);
  }

  /** Adds the sessions of signed-in browsers. */
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addSessions(BrowserSessions sessions) {
    extensions.add(sessions);
  }

  void removeSessions(BrowserSessions sessions) {
    extensions.remove(sessions);
  }

  /** Adds an identity provider. */
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addIdentityProvider(IdentityProvider provider) {
    extensions.add(provider);
  }

  void removeIdentityProvider(IdentityProvider provider) {
    extensions.remove(provider);
  }

  /** Adds the users of the cluster that keeps the resources. */
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addClusterUsers(ClusterUsers users) {
    extensions.add(users);
  }

  void removeClusterUsers(ClusterUsers users) {
    extensions.remove(users);
  }

  /** Enables the joining of nodes, because this node has the store. */
  @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
  void addMembers(ClusterMembers found) {
    members.set(found);
  }

  void removeMembers(ClusterMembers gone) {
    members.compareAndSet(gone, null);
  }

  /** Stops the server. */
  @Deactivate
  public void close() {
    kubeconfig.close();
    server.close();
  }
}

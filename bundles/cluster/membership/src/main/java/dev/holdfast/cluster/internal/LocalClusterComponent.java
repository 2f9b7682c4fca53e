package dev.holdfast.cluster.internal;

import dev.holdfast.certificates.AuthorityRotation;
import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.TrustReport;
import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.cluster.ClusterMembers;
import dev.holdfast.cluster.ClusterRotation;
import dev.holdfast.cluster.IssuedToken;
import dev.holdfast.cluster.JoinAnswer;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Provides the members in {@code <data>/cluster}, on the node that the others have joined. */
@Component(
    name = LocalClusterComponent.NAME,
    enabled = false,
    service = {ClusterMembers.class, ClusterAccess.class})
public final class LocalClusterComponent implements ClusterMembers {
  static final String NAME = "dev.holdfast.cluster";

  private final LocalCluster cluster;

  /** Reads the members. */
  @Activate
  public LocalClusterComponent(
      BundleContext context,
      @Reference NodeAuthority authority,
      @Reference AuthorityRotation rotation,
      @Reference NodeTls tls,
      @Reference ResourceStore store)
      throws StorageException {
    String data = context.getProperty("holdfast.data");
    if (data == null) {
      throw new IllegalStateException("holdfast.data is not set: it names the state directory");
    }
    String self = Optional.ofNullable(context.getProperty("holdfast.node.name")).orElse("node-1");
    cluster =
        new LocalCluster(
            Path.of(data, "cluster"),
            self,
            authority,
            SharedKey.guard(rotation, context.getProperty("holdfast.store")),
            tls,
            store,
            Clock.systemUTC());
  }

  @Override
  public IssuedToken newToken(Duration validity) throws StorageException {
    return cluster.newToken(validity);
  }

  @Override
  public void revoke(String node) throws StorageException {
    cluster.revoke(node);
  }

  @Override
  public String authority() throws StorageException {
    return cluster.authority();
  }

  @Override
  public JoinAnswer join(String token, String request) throws StorageException {
    return cluster.join(token, request);
  }

  @Override
  public String renew(String node, String request) throws StorageException {
    return cluster.renew(node, request);
  }

  @Override
  public ClusterRotation rotation() {
    return cluster.rotation();
  }

  @Override
  public String report(String node, TrustReport report) throws StorageException {
    return cluster.report(node, report);
  }

  @Override
  public Optional<String> nodeOf(String credential) {
    return cluster.nodeOf(credential);
  }
}

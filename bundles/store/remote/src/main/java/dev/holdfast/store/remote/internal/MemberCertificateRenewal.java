package dev.holdfast.store.remote.internal;

import dev.holdfast.certificates.CertificateRenewal;
import dev.holdfast.store.remote.MemberDirectory;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/** Renews the certificate of a running node that has joined a cluster, by the cluster's API. */
@Component(
    name = MemberCertificateRenewal.NAME,
    enabled = false,
    immediate = true,
    service = MemberCertificateRenewal.class)
public final class MemberCertificateRenewal {
  static final String NAME = "dev.holdfast.store.remote.certificate";

  private final CertificateRenewal renewal;

  /** Begins; waits for nothing. */
  @Activate
  public MemberCertificateRenewal(BundleContext context) {
    MemberDirectory member =
        new MemberDirectory(Path.of(context.getProperty("holdfast.data")).toAbsolutePath());
    String node = Optional.ofNullable(context.getProperty("holdfast.node.name")).orElse("node-1");
    this.renewal = CertificateRenewal.start(() -> member.renewIfDue(node, Clock.systemUTC()));
  }

  @Deactivate
  void stop() {
    renewal.close();
  }
}

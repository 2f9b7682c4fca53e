package dev.holdfast.store.remote.internal;

import dev.holdfast.certificates.CertificateRenewal;
import dev.holdfast.store.remote.MemberDirectory;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/**
 * Renews the certificate of a running node that has joined a cluster, by the cluster's API, and has
 * the node follow a rotation of the cluster's authority.
 */
@Component(
    name = MemberCertificateRenewal.NAME,
    enabled = false,
    immediate = true,
    service = MemberCertificateRenewal.class)
public final class MemberCertificateRenewal {
  static final String NAME = "dev.holdfast.store.remote.certificate";

  /** The node with the authority counts a member as away after three minutes. */
  private static final Duration FOLLOW_PERIOD = Duration.ofSeconds(15);

  private final CertificateRenewal renewal;
  private final CertificateRenewal following;

  /** Starts the periodic renewal without waiting. */
  @Activate
  public MemberCertificateRenewal(BundleContext context) {
    MemberDirectory member =
        new MemberDirectory(Path.of(context.getProperty("holdfast.data")).toAbsolutePath());
    String node = Optional.ofNullable(context.getProperty("holdfast.node.name")).orElse("node-1");
    this.renewal = CertificateRenewal.start(() -> member.renewIfDue(node, Clock.systemUTC()));
    this.following =
        CertificateRenewal.start(
            "follow the authority of the cluster",
            FOLLOW_PERIOD,
            () -> member.followAuthority(node));
  }

  @Deactivate
  void stop() {
    renewal.close();
    following.close();
  }
}

package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.CertificateRequest;
import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import java.time.Clock;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** The authority whose files {@link NodeTls} has prepared. */
@Component(service = NodeAuthority.class)
public final class NodeAuthorityService implements NodeAuthority {
  private final NodeAuthority authority;

  /** Uses the directory of the node's TLS. */
  @Activate
  public NodeAuthorityService(@Reference NodeTls prepared) {
    this.authority =
        new FileAuthority(prepared.caCertificate().toAbsolutePath().getParent(), Clock.systemUTC());
  }

  @Override
  public String certificate() throws StorageException {
    return authority.certificate();
  }

  @Override
  public String sign(CertificateRequest request) throws StorageException {
    return authority.sign(request);
  }
}

package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.AuthorityRotation;
import dev.holdfast.certificates.CertificateRequest;
import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** The authority whose files {@link NodeTls} has prepared. */
@Component(service = {NodeAuthority.class, AuthorityRotation.class})
public final class NodeAuthorityService implements NodeAuthority, AuthorityRotation {
  private final NodeAuthority authority;
  private final AuthorityRotation rotation;

  /** Uses the directory of the node's TLS. */
  @Activate
  public NodeAuthorityService(@Reference NodeTls prepared) {
    Path directory = prepared.caCertificate().toAbsolutePath().getParent();
    this.authority = new FileAuthority(directory, Clock.systemUTC());
    this.rotation = new RotationFiles(directory, Clock.systemUTC());
  }

  @Override
  public String certificate() throws StorageException {
    return authority.certificate();
  }

  @Override
  public String sign(CertificateRequest request) throws StorageException {
    return authority.sign(request);
  }

  @Override
  public Optional<Step> step() throws StorageException {
    return rotation.step();
  }

  @Override
  public void begin() throws StorageException {
    rotation.begin();
  }

  @Override
  public void sign() throws StorageException {
    rotation.sign();
  }

  @Override
  public void finish() throws StorageException {
    rotation.finish();
  }
}

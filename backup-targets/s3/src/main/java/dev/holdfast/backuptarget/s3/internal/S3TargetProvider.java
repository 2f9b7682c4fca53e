package dev.holdfast.backuptarget.s3.internal;

import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.CredentialKey;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Map;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Keeps backups in a bucket of Amazon S3, or of another server with its protocol: {@code
 * s3://bucket@region/path/}.
 */
@Component
public final class S3TargetProvider implements BackupTargetProvider {
  /** Creates the provider. */
  @Activate
  public S3TargetProvider() {}

  @Override
  public List<String> schemes() {
    return List.of("s3");
  }

  @Override
  public List<CredentialKey> credentials() {
    return S3Access.CREDENTIALS;
  }

  @Override
  public ObjectStore open(TargetUrl url, Map<String, byte[]> credentials, StoreOptions options)
      throws StorageException {
    S3Address address = S3Address.of(url);
    S3Access access = S3Access.of(credentials);
    return new S3ObjectStore(
        address, S3Clients.create(address, access, options), new S3Failures(address, credentials));
  }
}

package dev.holdfast.backuptarget.cifs.internal;

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
 * Keeps backups in a share of a file server that speaks SMB 2 or 3: {@code
 * cifs://server/share/path}.
 */
@Component
public final class CifsTargetProvider implements BackupTargetProvider {
  /** Creates the provider. */
  @Activate
  public CifsTargetProvider() {}

  @Override
  public List<String> schemes() {
    return List.of("cifs");
  }

  @Override
  public List<CredentialKey> credentials() {
    return CifsAccess.CREDENTIALS;
  }

  @Override
  public ObjectStore open(TargetUrl url, Map<String, byte[]> credentials, StoreOptions options)
      throws StorageException {
    CifsAddress address = CifsAddress.of(url);
    return new CifsObjectStore(
        address, new CifsSession(address, CifsAccess.of(credentials), options));
  }
}

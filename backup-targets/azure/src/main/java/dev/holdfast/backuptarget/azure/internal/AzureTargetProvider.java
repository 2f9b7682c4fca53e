package dev.holdfast.backuptarget.azure.internal;

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
 * Keeps backups in a container of Azure Blob Storage, or of another server with its protocol:
 * {@code azblob://container@core.windows.net/path/}.
 */
@Component
public final class AzureTargetProvider implements BackupTargetProvider {
  /** Creates the provider. */
  @Activate
  public AzureTargetProvider() {}

  @Override
  public List<String> schemes() {
    return List.of("azblob");
  }

  @Override
  public List<CredentialKey> credentials() {
    return AzureAccount.CREDENTIALS;
  }

  @Override
  public ObjectStore open(TargetUrl url, Map<String, byte[]> credentials, StoreOptions options)
      throws StorageException {
    AzureAddress address = AzureAddress.of(url);
    AzureAccount account = AzureAccount.of(credentials, address);
    return new AzureObjectStore(address, new AzureRequests(address, account, options));
  }
}

package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupTargets;
import dev.holdfast.backupstore.layout.EncryptedTargets;
import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.secret.SecretProviders;
import dev.holdfast.secret.Secrets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** The target plugins that are installed on this node, and their secrets. Thread-safe. */
@Component(service = InstalledTargets.class)
public final class InstalledTargets {
  private final List<BackupTargetProvider> providers = new CopyOnWriteArrayList<>();
  private final SecretProviders secrets = new SecretProviders();
  private final TransferOptions options;

  /** Creates an object without plugins. */
  @Activate
  public InstalledTargets() {
    this(TransferOptions.SYSTEM);
  }

  InstalledTargets(TransferOptions options) {
    this.options = options;
  }

  TransferOptions options() {
    return options;
  }

  /** Adds a target plugin. */
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  public void addProvider(BackupTargetProvider provider) {
    providers.add(provider);
  }

  void removeProvider(BackupTargetProvider provider) {
    providers.remove(provider);
  }

  /** Adds a provider of secrets. */
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  public void addSecrets(Secrets provider, Map<String, ?> properties) {
    secrets.add(provider, properties);
  }

  void removeSecrets(Secrets provider) {
    secrets.remove(provider);
  }

  /**
   * Opens a target, which the caller closes. Reads its secrets at each call.
   *
   * @throws StorageException INVALID for a wrong address or credential; UNSUPPORTED if no installed
   *     bundle serves the address; UNREACHABLE or NOT_FOUND if the target does not answer or does
   *     not exist; the failure of the read of the secret
   */
  public ObjectStore open(TargetAccess access) throws StorageException {
    TargetUrl url = TargetUrl.parse(access.address());
    Map<String, byte[]> credentials =
        access.secret().isEmpty() ? Map.of() : secrets.require(access.secret());
    Map<String, byte[]> keys =
        access.encryption().isEmpty() ? Map.of() : secrets.require(access.encryption());
    ObjectStore store =
        new BackupTargets(List.copyOf(providers)).open(withoutContent(url), credentials);
    if (access.encryption().isEmpty()) {
      return store;
    }
    try {
      return EncryptedTargets.encrypted(store, access.encryption(), keys);
    } catch (StorageException e) {
      store.close();
      throw e;
    }
  }

  /** Removes the name of an image, which is not a parameter of the target. */
  private static TargetUrl withoutContent(TargetUrl url) {
    Map<String, String> parameters = new TreeMap<>(url.parameters());
    parameters.remove(BackupBackingImage.ADDRESS_PARAMETER);
    return new TargetUrl(url.scheme(), url.authority(), url.path(), parameters);
  }
}

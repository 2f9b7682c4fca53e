package dev.holdfast.backupstore;

import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.CredentialKey;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;

/** The installed kinds of backup targets, by the schemes of addresses. Immutable, thread-safe. */
public final class BackupTargets {
  private final List<BackupTargetProvider> providers;

  /**
   * Creates a choice.
   *
   * @param providers of the installed plugins, not null
   */
  public BackupTargets(List<BackupTargetProvider> providers) {
    this.providers = List.copyOf(providers);
  }

  /**
   * Opens a target.
   *
   * @param url of the target, or of a volume or a backup there, not null
   * @param credentials values by the names of {@link CredentialKey}; called only for the keys of
   *     the target's kind; not null
   * @return the store, which the caller closes; never null
   * @throws StorageException UNSUPPORTED when no plugin, or more than one, serves the scheme; what
   *     {@link BackupTargetProvider#open} throws
   */
  public ObjectStore open(TargetUrl url, Function<String, Optional<String>> credentials)
      throws StorageException {
    BackupTargetProvider provider = provider(url.scheme());
    Map<String, byte[]> values = new HashMap<>();
    for (CredentialKey key : provider.credentials()) {
      credentials
          .apply(key.name())
          .ifPresent(value -> values.put(key.name(), value.getBytes(StandardCharsets.UTF_8)));
    }
    return provider.open(url, values, StoreOptions.DEFAULT);
  }

  /**
   * Opens a target by a secret.
   *
   * @param url of the target, or of a volume or a backup there, not null
   * @param secret values by the names of {@link CredentialKey}; others are ignored; not null
   * @return the store, which the caller closes; never null
   * @throws StorageException UNSUPPORTED when no plugin, or more than one, serves the scheme; what
   *     {@link BackupTargetProvider#open} throws
   */
  public ObjectStore open(TargetUrl url, Map<String, byte[]> secret) throws StorageException {
    return provider(url.scheme()).open(url, secret, StoreOptions.DEFAULT);
  }

  private BackupTargetProvider provider(String scheme) throws StorageException {
    List<BackupTargetProvider> found =
        providers.stream().filter(provider -> provider.schemes().contains(scheme)).toList();
    if (found.isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, "address: scheme \"" + scheme + "\": " + installed());
    }
    if (found.size() > 1) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "address: scheme \""
              + scheme
              + "\": served by "
              + found.get(0).getClass().getName()
              + " and by "
              + found.get(1).getClass().getName()
              + ": uninstall one of these plugins");
    }
    return found.get(0);
  }

  private String installed() {
    TreeSet<String> schemes = new TreeSet<>();
    providers.forEach(provider -> schemes.addAll(provider.schemes()));
    return schemes.isEmpty()
        ? "no backup target is installed: install the bundle of one"
        : "no backup target of this kind is installed: use one of " + String.join(", ", schemes);
  }
}

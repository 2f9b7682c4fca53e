package dev.holdfast.backuptarget.directory.internal;

import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.CredentialKey;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.fileobjects.FileObjectStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Keeps backups in a directory of this node: {@code file:///path}, in Longhorn {@code vfs:///path}.
 */
@Component
public final class DirectoryTargetProvider implements BackupTargetProvider {
  /** Creates the provider. */
  @Activate
  public DirectoryTargetProvider() {}

  @Override
  public List<String> schemes() {
    return List.of("file", "vfs");
  }

  @Override
  public List<CredentialKey> credentials() {
    return List.of();
  }

  @Override
  public ObjectStore open(TargetUrl url, Map<String, byte[]> credentials, StoreOptions options)
      throws StorageException {
    if (!url.authority().isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "backup target: host \""
              + url.authority()
              + "\": a directory has none: use file:///path");
    }
    url.requireParameters(Set.of(), "a directory has none");
    Path root = Path.of(url.path()).normalize();
    if (!Files.isDirectory(root)) {
      throw new StorageException(
          ErrorCode.NOT_FOUND,
          "backup target " + root + ": is not a directory: create or mount it first");
    }
    return new FileObjectStore(root);
  }
}

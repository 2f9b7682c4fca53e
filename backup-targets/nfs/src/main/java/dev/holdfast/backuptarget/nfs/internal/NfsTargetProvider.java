package dev.holdfast.backuptarget.nfs.internal;

import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.CredentialKey;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.LocalHost;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/** Keeps backups in an export of an NFS server, which it mounts: {@code nfs://server:/path}. */
@Component(service = BackupTargetProvider.class)
public final class NfsTargetProvider implements BackupTargetProvider {
  /** In memory: a reboot leaves nothing, and no program deletes files below it recursively. */
  private static final Path MOUNTS = Path.of("/run/holdfast/backup-nfs");

  /** A node opens a target again and again. */
  private static final Duration NODE_KEEPS = Duration.ofSeconds(30);

  private final ExportMounts mounts;

  /** Creates the provider of a program that ends: mounts go with their last user. */
  public NfsTargetProvider() {
    this(new ExportMounts(new LocalHost(), MOUNTS, Duration.ZERO));
  }

  /** Creates the provider of a node, and removes mounts that processes left when they died. */
  @Activate
  public NfsTargetProvider(@Reference Host host) {
    this(new ExportMounts(host, MOUNTS, NODE_KEEPS));
    mounts.removeAbandoned();
  }

  NfsTargetProvider(ExportMounts mounts) {
    this.mounts = mounts;
  }

  @Deactivate
  void close() {
    mounts.close();
  }

  @Override
  public List<String> schemes() {
    return List.of("nfs");
  }

  @Override
  public List<CredentialKey> credentials() {
    return List.of();
  }

  @Override
  public ObjectStore open(TargetUrl url, Map<String, byte[]> credentials, StoreOptions options)
      throws StorageException {
    return mounts.open(NfsAddress.of(url), options);
  }
}

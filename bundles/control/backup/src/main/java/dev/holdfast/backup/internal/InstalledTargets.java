package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupTargets;
import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** The kinds of targets that are installed on this node. Thread-safe. */
@Component(service = InstalledTargets.class)
public final class InstalledTargets {
  private final List<BackupTargetProvider> providers = new CopyOnWriteArrayList<>();

  /** Creates an object that knows no kind yet. */
  @Activate
  public InstalledTargets() {}

  /** Adds a kind of targets. */
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  public void addProvider(BackupTargetProvider provider) {
    providers.add(provider);
  }

  void removeProvider(BackupTargetProvider provider) {
    providers.remove(provider);
  }

  /**
   * Opens a target, which the caller closes.
   *
   * @throws StorageException INVALID for an address that cannot be right; UNSUPPORTED when no
   *     installed bundle serves it; UNREACHABLE or NOT_FOUND when the target is not there
   */
  ObjectStore open(String address) throws StorageException {
    return new BackupTargets(List.copyOf(providers))
        .open(TargetUrl.parse(address), name -> Optional.empty());
  }
}

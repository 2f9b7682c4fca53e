package dev.holdfast.snapshot.internal;

import dev.holdfast.datapath.StateDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.MountTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Freezes the filesystems of volumes that are mounted on this node, for a short time.
 *
 * <pre>
 *   record -- guard: write back -- freeze -- (snapshot) -- thaw -- record gone
 * </pre>
 *
 * <p>No filesystem stays frozen: the guard is a separate process that thaws when this process dies
 * or takes too long. If the guard is killed too, this process, or the next one at its start, thaws
 * the filesystems of the record. Thread-safe.
 */
@Component(service = FilesystemFreezer.class, immediate = true)
public final class FilesystemFreezer {
  private static final Logger LOG = LoggerFactory.getLogger(FilesystemFreezer.class);

  private final Host host;
  private final Path directory;
  private final FreezeJournal records;
  private final VolumeMounts mounts;
  private final Limits limits;

  /** Volumes with filesystems that this process may have frozen. */
  private final Set<String> busy = ConcurrentHashMap.newKeySet();

  /**
   * Time limits of a freeze.
   *
   * @param writeBack for the write-back of cached data, while writers continue
   * @param freeze for freezing, while writers wait
   * @param frozen after which the guard thaws
   */
  record Limits(Duration writeBack, Duration freeze, Duration frozen) {
    static final Limits DEFAULT =
        new Limits(Duration.ofSeconds(20), Duration.ofSeconds(10), Duration.ofSeconds(10));

    /** Returns the longest duration of {@link FilesystemFreezer#freeze}. */
    Duration freezing() {
      return writeBack.plus(freeze);
    }
  }

  /** Frozen filesystems, until they are thawed or the guard's limit ends. */
  public interface Frozen {
    /** Thaws. Returns the reason why they were not frozen all the time; empty if they were. */
    Optional<String> thaw();
  }

  /** Creates the freezer, and thaws in the background what a crash left frozen. */
  @Activate
  public FilesystemFreezer(
      BundleContext context, @Reference Host host, @Reference VolumeMounts mounts) {
    this(host, StateDirectory.of(context::getProperty), mounts, Limits.DEFAULT);
  }

  FilesystemFreezer(Host host, Path data, VolumeMounts mounts, Limits limits) {
    this.host = host;
    this.directory = data.resolve("frozen");
    this.records = new FreezeJournal(new HostState(directory));
    this.mounts = mounts;
    this.limits = limits;
    recoverAll();
  }

  private void recoverAll() {
    try {
      List<String> left = records.volumes();
      busy.addAll(left);
      left.forEach(this::recover);
    } catch (StorageException e) {
      LOG.error(
          "could not read which filesystems a crash may have left frozen: {}", e.getMessage());
    }
  }

  /**
   * Freezes all filesystems of a volume that are mounted on this node.
   *
   * @return empty if no filesystem of the volume is mounted on this node
   * @throws StorageException if the freeze failed; filesystems that were already frozen are thawed
   */
  Optional<Frozen> freeze(String volume) throws StorageException {
    List<MountTable.Mount> found = mounts.of(volume);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    if (!busy.add(volume)) {
      throw new StorageException(
          ErrorCode.BUSY, "volume " + volume + ": an earlier freeze has not ended yet");
    }
    FreezeGuard guard = begin(volume, found);
    CompletableFuture<String> end = guard.end().thenApply(last -> ended(volume, last));
    guard.awaitFrozen(limits.writeBack(), limits.freeze());
    return Optional.of(() -> thaw(guard, end));
  }

  private FreezeGuard begin(String volume, List<MountTable.Mount> found) throws StorageException {
    try {
      records.write(volume, new TreeSet<>(found.stream().map(m -> m.deviceNumber()).toList()));
      return FreezeGuard.freeze(host, lock(volume), limits.frozen(), found);
    } catch (StorageException e) {
      forget(volume);
      throw e;
    }
  }

  private Path lock(String volume) {
    return directory.resolve("." + volume + ".guard");
  }

  private Optional<String> thaw(FreezeGuard guard, CompletableFuture<String> end) {
    guard.release();
    String last = FreezeGuard.within(end, limits.frozen()).orElse("waiting");
    return switch (last) {
      case "held" -> Optional.empty();
      case "late" ->
          Optional.of(
              "it was thawed after "
                  + limits.frozen().toSeconds()
                  + " s, before the snapshot was taken");
      case "thawed" -> Optional.of("another program thawed it before the snapshot was taken");
      case "waiting" -> Optional.of("it may still be frozen");
      default -> Optional.of("the process that kept it frozen ended early: " + last);
    };
  }

  /**
   * Handles the end of a guard. A guard without a last message was killed and may have left
   * filesystems frozen.
   */
  private String ended(String volume, Optional<String> last) {
    if (last.isPresent()) {
      forget(volume);
    } else {
      recover(volume);
    }
    return last.orElse("killed");
  }

  /** Thaws the filesystems of a record, on another thread if that may take long. */
  private void recover(String volume) {
    try {
      Collection<String> numbers = records.devices(volume);
      List<MountTable.Mount> left = mounts.ofDevices(numbers);
      if (left.isEmpty()) {
        forget(volume);
        return;
      }
      FreezeGuard guard = FreezeGuard.thaw(host, lock(volume), left);
      var unused =
          guard
              .end()
              .thenAccept(last -> recovered(volume, last.orElse("failed its process was killed")));
    } catch (StorageException e) {
      recovered(volume, "failed " + e.getMessage());
    }
  }

  private void recovered(String volume, String last) {
    if (last.startsWith("failed")) {
      LOG.error(
          "volume {}: its filesystem may be frozen ({}): thaw it by fsfreeze --unfreeze",
          volume,
          last);
      busy.remove(volume); // the record stays for the next start
      return;
    }
    if (last.equals("thawed")) {
      LOG.warn("volume {}: its filesystem was left frozen by a crash and is thawed", volume);
    }
    forget(volume);
  }

  private void forget(String volume) {
    try {
      records.delete(volume);
    } catch (StorageException e) {
      LOG.warn("volume {}: {}; checking again at the next start", volume, e.getMessage());
    }
    busy.remove(volume);
  }
}

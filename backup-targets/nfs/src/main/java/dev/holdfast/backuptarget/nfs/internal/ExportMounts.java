package dev.holdfast.backuptarget.nfs.internal;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.NfsMounts;
import dev.holdfast.processes.ProcessIdentity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exports that this process has mounted, each once for all stores over it. A mount is below a
 * folder that names the process, so that another process can remove it after this one died.
 * Thread-safe.
 */
final class ExportMounts implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExportMounts.class);
  private static final Pattern OWNER = Pattern.compile("([0-9]{1,18})-([0-9]{1,18})");
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Host host;
  private final NfsMounts mounts;
  private final Path folder;
  private final Duration keep;
  private final Map<NfsAddress, ExportMount> known = new ConcurrentHashMap<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private final AtomicBoolean cleaned = new AtomicBoolean();
  private final Executor threads = ExportMounts::start;

  /**
   * Creates an object that has mounted nothing.
   *
   * @param folder of the mounts of all processes
   * @param keep how long a mount without users stays
   */
  ExportMounts(Host host, Path folder, Duration keep) {
    this.host = host;
    this.mounts = new NfsMounts(host);
    this.folder = folder;
    this.keep = keep;
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "backup-nfs-mounts");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Opens a store over an export, and mounts it first if no store has it.
   *
   * @throws StorageException UNREACHABLE, FORBIDDEN or UNSUPPORTED when it cannot be mounted; IO
   */
  ObjectStore open(NfsAddress address, StoreOptions options) throws StorageException {
    removeAbandoned();
    ExportMount mount = known.get(address);
    if (mount == null) {
      mount = known.computeIfAbsent(address, this::mount);
    }
    mount.acquire(options.connect());
    return mount.store(options, this::released);
  }

  private ExportMount mount(NfsAddress address) {
    Path point = own().resolve(Integer.toString(numbers.incrementAndGet()));
    return new ExportMount(mounts, address, point);
  }

  private Path own() {
    ProcessIdentity self = ProcessIdentity.of(ProcessHandle.current().pid()).orElseThrow();
    return folder.resolve(self.pid() + "-" + self.startTicks());
  }

  private void released(ExportMount mount) {
    if (keep.isZero()) {
      removeIfUnused(mount);
      return;
    }
    CompletableFuture<Void> unused =
        CompletableFuture.runAsync(
            () -> removeIfUnused(mount),
            CompletableFuture.delayedExecutor(keep.toMillis(), TimeUnit.MILLISECONDS, threads));
  }

  private void removeIfUnused(ExportMount mount) {
    try {
      mount.unmountIfUnused(PATIENCE);
    } catch (StorageException e) {
      if (e.code() == ErrorCode.BUSY && !keep.isZero()) {
        // A call that was given up is not over yet.
        released(mount);
      } else {
        LOG.warn("{}: could not unmount: {}", mount, e.getMessage());
      }
    }
  }

  /** Removes, in the background and once, the mounts of processes that have died. */
  void removeAbandoned() {
    if (!cleaned.compareAndSet(false, true)) {
      return;
    }
    try {
      for (String owner : host.files().list(folder)) {
        Matcher name = OWNER.matcher(owner);
        if (name.matches() && !isAlive(name)) {
          threads.execute(() -> remove(folder.resolve(owner)));
        }
      }
    } catch (StorageException e) {
      LOG.warn("{}: could not look for abandoned mounts: {}", folder, e.getMessage());
    }
  }

  private static boolean isAlive(Matcher owner) {
    Optional<ProcessIdentity> present = ProcessIdentity.of(Long.parseLong(owner.group(1)));
    return present.isPresent() && present.get().startTicks() == Long.parseLong(owner.group(2));
  }

  private void remove(Path owner) {
    try {
      for (String name : host.files().list(owner)) {
        Path point = owner.resolve(name);
        mounts.unmount(point, PATIENCE);
        host.files().delete(point);
        LOG.info("{}: removed the mount of a process that has died", point);
      }
      host.files().delete(owner);
    } catch (StorageException e) {
      LOG.warn("{}: could not remove abandoned mounts: {}", owner, e.getMessage());
    }
  }

  /** Unmounts all exports; stores over them fail. */
  @Override
  public void close() {
    for (ExportMount mount : known.values()) {
      try {
        mount.unmount(PATIENCE);
      } catch (StorageException e) {
        LOG.warn("{}: could not unmount: {}", mount, e.getMessage());
      }
    }
    try {
      host.files().delete(own());
    } catch (StorageException e) {
      LOG.debug("{}: not empty yet: {}", own(), e.getMessage());
    }
  }
}

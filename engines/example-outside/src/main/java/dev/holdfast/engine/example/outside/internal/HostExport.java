package dev.holdfast.engine.example.outside.internal;

import dev.holdfast.engine.example.outside.internal.daemon.HostsDaemon;
import dev.holdfast.engine.example.outside.internal.daemon.Throttle;
import dev.holdfast.engine.export.ExportHold;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportStatistics;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.processes.ProcessListener;
import dev.holdfast.processes.ProcessStatus;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * One export to hosts: a daemon of its own, which runs while hosts are admitted. A hold stops that
 * daemon and has the daemon of the image end what it has already sent. The monitor of the volume's
 * daemons is held by every step.
 */
final class HostExport implements NativeExport {
  private final VolumeDaemons volume;
  private final String name;
  private final HostsDaemon daemon;
  private ExportLimits limits = ExportLimits.NONE;
  private boolean admitted;
  private boolean closed;
  private Hold held;

  HostExport(VolumeDaemons volume, String name) throws StorageException {
    this.volume = volume;
    this.name = name;
    this.daemon = volume.hosts(name);
  }

  String key() {
    return daemon.key();
  }

  boolean isAdmitted() {
    return admitted;
  }

  boolean isHeld() {
    return held != null;
  }

  ExportLimits limits() {
    return limits;
  }

  Optional<ProcessIdentity> process() {
    return daemon.identity();
  }

  /** Finds the process that an earlier opening left; a hold that was left ends. */
  void adopt(ExportLimits left) throws StorageException {
    limits = left;
    admitted = true;
    daemon.begin(new HostsListener());
    daemon.proceed();
    daemon.configure(limits);
  }

  /** Changes hosts and limits as requested. */
  void apply(ExportRequest request) throws StorageException {
    requireFree();
    if (!request.limits().equals(limits)) {
      limit(request.limits());
    }
    if (request.hosts().isEmpty() && admitted) {
      dismiss();
    } else if (!request.hosts().isEmpty() && !admitted) {
      admit();
    }
  }

  private void admit() throws StorageException {
    Set<String> keys = new TreeSet<>(volume.keys());
    keys.add(key());
    try {
      volume.image().configure(keys);
      daemon.begin(new HostsListener());
      daemon.configure(limits);
      admitted = true;
      volume.record();
    } catch (StorageException e) {
      try {
        dismiss();
      } catch (StorageException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  /** Disconnects all hosts: when this returns, none of their requests is under way. */
  private void dismiss() throws StorageException {
    volume.image().withdraw(key());
    daemon.end();
    admitted = false;
    volume.record();
  }

  private void requireFree() throws StorageException {
    requireOpen();
    if (held != null) {
      throw new StorageException(
          ErrorCode.BUSY, "export " + name + " is held: try again when the hold has ended");
    }
  }

  private void requireOpen() throws StorageException {
    volume.requireOpen();
    if (closed) {
      throw new StorageException(ErrorCode.IO, "export " + name + " is withdrawn: export it again");
    }
  }

  @Override
  public List<URI> endpoints() {
    return List.of(daemon.endpoint());
  }

  @Override
  public ExportHold hold(Duration drain) throws StorageException {
    synchronized (volume) {
      requireFree();
      if (admitted) {
        stop(drain);
      }
      held = new Hold();
      return held;
    }
  }

  private void stop(Duration drain) throws StorageException {
    daemon.pause();
    boolean drained = false;
    try {
      drained = volume.image().drain(key(), drain);
    } finally {
      if (!drained) {
        daemon.proceed();
      }
    }
    if (!drained) {
      throw new StorageException(
          ErrorCode.TIMEOUT,
          "export "
              + name
              + ": requests did not end within "
              + drain.toMillis()
              + " ms: see the disk of volume "
              + volume.volume()
              + ", then try again");
    }
  }

  private final class Hold implements ExportHold {
    @Override
    public void close() throws StorageException {
      synchronized (volume) {
        if (held != this || closed || volume.isEnded()) {
          return;
        }
        held = null;
        if (admitted) {
          daemon.proceed();
          daemon.configure(limits); // it may have been restarted during the hold
        }
      }
    }
  }

  @Override
  public void limit(ExportLimits next) throws StorageException {
    synchronized (volume) {
      requireFree();
      Throttle.require(name, next);
      if (admitted) {
        daemon.limit(next);
      }
      limits = next;
      volume.record();
    }
  }

  @Override
  public void access(PathAccess access) throws StorageException {
    synchronized (volume) {
      requireFree();
      ExportRules.requireOptimized(name, access);
    }
  }

  /** The daemon counts no requests of its exports. */
  @Override
  public Optional<ExportStatistics> statistics() throws StorageException {
    synchronized (volume) {
      requireOpen();
      return Optional.empty();
    }
  }

  @Override
  public void close() throws StorageException {
    synchronized (volume) {
      if (closed || volume.isEnded()) {
        return;
      }
      if (admitted) {
        dismiss();
      }
      closed = true;
      held = null;
      volume.exports().remove(name, this);
    }
  }

  /** A process that was restarted has no export yet; under a hold it gets none. */
  private final class HostsListener implements ProcessListener {
    @Override
    public void restarted(ProcessStatus status) {
      volume.afterRestart(
          () -> {
            if (admitted && held == null) {
              daemon.configure(limits);
            }
          });
    }
  }
}

package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.export.ExportHold;
import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportStatistics;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.engine.spdk.internal.calls.KeyringNames;
import dev.holdfast.engine.spdk.internal.calls.Subsystems;
import dev.holdfast.engine.spdk.internal.calls.TargetListener;
import dev.holdfast.engine.spdk.internal.calls.TargetSubsystem;
import dev.holdfast.engine.spdk.internal.data.Loopback;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A volume as its SPDK target shows it to hosts, past this process. Hosts use a listener of their
 * own, so that a hold stops them and not the device of the engine. The monitor of the volume guards
 * it.
 */
final class NvmeExport implements NativeExport {
  private final SpdkLegs legs;
  private final SpdkContext context;
  private final Object volume;
  private final String name;
  private final ExportKeys keys;
  private final Consumer<StorageException> lost;
  private Map<String, ExportHost> allowed = Map.of();
  private Map<String, KeyringNames> known = Map.of();
  private boolean secure;
  private boolean listening;
  private PathAccess access = PathAccess.OPTIMIZED;
  private ExportLimits limits = ExportLimits.NONE;
  private boolean held;
  private boolean releasing;
  private boolean ended;

  /**
   * Creates an export that is not shown yet.
   *
   * @param volume whose monitor guards this
   * @param name of the export
   * @param lost restores the volume, and then calls {@link #restore} and {@link #endHold}; must not
   *     block
   */
  NvmeExport(
      SpdkLegs legs,
      SpdkContext context,
      Object volume,
      String name,
      Consumer<StorageException> lost) {
    this.legs = legs;
    this.context = context;
    this.volume = volume;
    this.name = name;
    this.lost = lost;
    this.keys = new ExportKeys(context.keys(), legs.nqn());
  }

  /** Fails for another name: one subsystem shows the volume. */
  void requireName(String wanted) throws StorageException {
    if (!wanted.equals(name)) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "export "
              + wanted
              + ": its volume has the export "
              + name
              + ", and a subsystem has one export: withdraw that export first");
    }
  }

  boolean isHeld() {
    return held;
  }

  boolean isEnded() {
    return ended;
  }

  /** The opening continues without this object. */
  void end() {
    ended = true;
  }

  private Subsystems subsystems() {
    return legs.subsystems();
  }

  private TargetListener listener() {
    return context.hosts();
  }

  private void requireUsable() throws StorageException {
    if (ended) {
      throw new StorageException(ErrorCode.IO, "export " + name + " has ended: export it again");
    }
    if (held) {
      throw new StorageException(
          ErrorCode.BUSY, "export " + name + " is held: try again when the hold has ended");
    }
  }

  /** Makes the export what a request says. Hosts that stay allowed notice nothing. */
  void apply(ExportRequest request) throws StorageException {
    requireUsable();
    requireWholeClusters();
    allowed = NvmeExportRules.hosts(request, context.hostName());
    access = request.access();
    setLimits(request.limits());
    show(request.security().tlsRequired());
  }

  /** Shows it again in a subsystem that was made again. A hold continues. */
  void restore() throws StorageException {
    if (!ended) {
      setLimits(limits);
      known = Map.of();
      show(secure);
    }
  }

  private void show(boolean tls) throws StorageException {
    TargetSubsystem present = subsystems().require(legs.nqn());
    for (String host : present.hosts()) {
      if (!Loopback.isEngine(host) && !allowed.containsKey(host)) {
        subsystems().reject(legs.nqn(), host);
      }
    }
    Map<String, KeyringNames> next = new TreeMap<>();
    for (Map.Entry<String, ExportHost> host : allowed.entrySet()) {
      next.put(host.getKey(), keys.add(host.getKey(), host.getValue()));
      admit(present, host.getKey(), next.get(host.getKey()));
    }
    known = next;
    keys.removeOthers(next.values());
    listen(present, tls);
  }

  /** Without knowledge of earlier keys, as after an adoption, a host with keys connects again. */
  private void admit(TargetSubsystem present, String host, KeyringNames wanted)
      throws StorageException {
    KeyringNames before = known.getOrDefault(host, KeyringNames.NONE);
    if (!present.hosts().contains(host)) {
      subsystems().admit(legs.nqn(), host, wanted);
    } else if (before.isReplaceableBy(wanted) && !before.equals(wanted)) {
      subsystems().changeKeys(legs.nqn(), host, wanted);
    } else if (!before.equals(wanted)) {
      subsystems().reject(legs.nqn(), host);
      subsystems().admit(legs.nqn(), host, wanted);
    }
  }

  /** An earlier engine listened without TLS, or nothing is known of it: then hosts reconnect. */
  private void listen(TargetSubsystem present, boolean tls) throws StorageException {
    boolean accessible = !held && access == PathAccess.OPTIMIZED;
    boolean there = present.listeners().contains(listener());
    if (there && (listening ? tls != secure : tls)) {
      subsystems().stopListening(legs.nqn(), listener());
      there = false;
    }
    if (there) {
      subsystems().access(legs.nqn(), listener(), accessible);
    } else {
      subsystems().listen(legs.nqn(), listener(), accessible, tls);
    }
    secure = tls;
    listening = true;
  }

  /** Hosts would see the rest of the last cluster. */
  private void requireWholeClusters() throws StorageException {
    long size = legs.record().sizeBytes();
    if (size % (1 << 20) != 0) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "export "
              + name
              + ": size "
              + size
              + " is not a multiple of 1 MiB: expand the volume to one");
    }
  }

  @Override
  public List<URI> endpoints() {
    try {
      return List.of(
          new URI(
              NvmeExportRules.SCHEME,
              null,
              listener().host(),
              listener().port(),
              "/" + legs.nqn(),
              null,
              null));
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Hosts get a status on which they try again; the requests that they sent before have ended when
   * this returns. The state alone does not wait for them, and the pause alone lets later ones pass.
   */
  @Override
  public ExportHold hold(Duration drain) throws StorageException {
    synchronized (volume) {
      requireUsable();
      held = true;
      try {
        subsystems().access(legs.nqn(), listener(), false);
        subsystems().drain(legs.nqn(), drain);
      } catch (StorageException e) {
        undoHold(e);
        throw e;
      }
      return this::release;
    }
  }

  private void undoHold(StorageException cause) {
    try {
      release();
    } catch (StorageException e) {
      cause.addSuppressed(e);
    }
  }

  /**
   * The caller does not repeat it, so a restoration ends the hold if the target does not answer.
   */
  private void release() throws StorageException {
    synchronized (volume) {
      releasing = held;
      try {
        endHold();
      } catch (StorageException e) {
        lost.accept(e);
        throw e;
      }
    }
  }

  /** Lets hosts continue if the hold was released. Succeeds when it was not, or has ended. */
  void endHold() throws StorageException {
    if (releasing && !ended) {
      subsystems().access(legs.nqn(), listener(), access == PathAccess.OPTIMIZED);
      held = false;
      releasing = false;
    }
  }

  @Override
  public void limit(ExportLimits next) throws StorageException {
    synchronized (volume) {
      requireUsable();
      NvmeExportRules.requireLimits(name, next);
      setLimits(next);
    }
  }

  private void setLimits(ExportLimits next) throws StorageException {
    if (next.isAny() || limits.isAny()) {
      context.target().run("bdev_set_qos_limit", NvmeExportRules.limits(legs.device(), next));
    }
    limits = next;
  }

  /** Sets the limits of the live content again, after another took its place. */
  void limitAgain() throws StorageException {
    setLimits(limits);
  }

  @Override
  public void access(PathAccess next) throws StorageException {
    synchronized (volume) {
      requireUsable();
      subsystems().access(legs.nqn(), listener(), next == PathAccess.OPTIMIZED);
      access = next;
    }
  }

  /** SPDK counts the requests of the engine's own device with those of hosts, and no flushes. */
  @Override
  public Optional<ExportStatistics> statistics() {
    return Optional.empty();
  }

  @Override
  public void close() throws StorageException {
    synchronized (volume) {
      if (ended) {
        return;
      }
      Optional<TargetSubsystem> present = subsystems().find(legs.nqn());
      if (present.isPresent()) {
        withdraw(present.get());
      }
      held = false;
      releasing = false;
      ended = true;
    }
  }

  private void withdraw(TargetSubsystem present) throws StorageException {
    if (present.listeners().contains(listener())) {
      subsystems().stopListening(legs.nqn(), listener());
    }
    for (String host : present.hosts()) {
      if (!Loopback.isEngine(host)) {
        subsystems().reject(legs.nqn(), host);
      }
    }
    setLimits(ExportLimits.NONE);
    keys.removeOthers(List.of());
  }
}

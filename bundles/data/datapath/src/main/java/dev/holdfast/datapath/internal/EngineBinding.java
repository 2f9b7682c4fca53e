package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.InstalledEngine;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ForwardRequest;
import dev.holdfast.engine.ForwardingEngine;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverEngine;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.OpenOptions;
import dev.holdfast.engine.OpenRequest;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Binding of an attached volume to one of the installed engines, and its change to another one.
 * Used by the steps of the path only.
 *
 * <p>A volume resumes from the hand-over of the former engine. Without a valid hand-over the volume
 * is opened again, which needs the store. An engine that failed to resume a volume is not tried
 * again while it is installed, if another one exists.
 */
final class EngineBinding {
  private static final Logger LOG = LoggerFactory.getLogger(EngineBinding.class);

  /** Longer than any resumption takes, and well below the disk time-outs of hosts. */
  private static final Duration TAKE_OVER = Duration.ofSeconds(5);

  private static final int ATTEMPTS = 3;

  private final String volume;
  private final InstalledPlugins plugins;
  private final VolumeStack served;
  private final EngineReplacements replacements;
  private final Supplier<OpeningListener> listeners;
  private final GuardedPluginCalls calls;
  private Optional<OpenRequest> last = Optional.empty();
  private Optional<EngineProvider> refused = Optional.empty();
  private int attempts;

  EngineBinding(
      String volume,
      InstalledPlugins plugins,
      VolumeStack served,
      EngineReplacements replacements,
      Supplier<OpeningListener> listeners,
      Executor threads) {
    this.volume = volume;
    this.plugins = plugins;
    this.served = served;
    this.replacements = replacements;
    this.listeners = listeners;
    this.calls = new GuardedPluginCalls(threads);
  }

  /** Opens the volume with the preferred engine; no request reaches it yet. */
  void open(OpenParameters how) throws StorageException {
    InstalledEngine by =
        best(how.dataEngine()).orElseThrow(() -> notInstalled(volume, how.dataEngine()));
    if (how.forwardTo().isPresent()) {
      forward(by.engine(), how.forwardTo().get());
      return;
    }
    boolean held = served.handover().isPresent();
    if (held && by.engine() instanceof HandoverEngine) {
      try {
        resume(by, served.handover().orElseThrow());
        return;
      } catch (StorageException e) {
        failed(by, e);
        if (e instanceof GuardedPluginCalls.Hung || mayRetry(e)) {
          throw e;
        }
        served.handover(Optional.empty());
      }
    }
    openAnew(by.engine(), how);
  }

  private void forward(EngineProvider by, String node) throws StorageException {
    if (!(by instanceof ForwardingEngine able)) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + volume
              + ": engine "
              + by.name()
              + " cannot serve it beside node "
              + node
              + ", which has it open");
    }
    Duration timeout = OpenOptions.DEFAULT.replicaTimeout();
    served.opened(by, able.forward(new ForwardRequest(volume, node, timeout)));
  }

  // A short absence of a replica must not make the store necessary.
  private boolean mayRetry(StorageException failure) {
    attempts++;
    boolean passing =
        failure.code() == ErrorCode.UNREACHABLE
            || failure.code() == ErrorCode.TIMEOUT
            || failure.code() == ErrorCode.BUSY;
    return passing && attempts < ATTEMPTS;
  }

  private Optional<InstalledEngine> best(String name) {
    List<InstalledEngine> all = plugins.engines(name);
    List<InstalledEngine> usable =
        all.stream().filter(e -> refused.filter(r -> r == e.engine()).isEmpty()).toList();
    List<InstalledEngine> choice = usable.isEmpty() ? all : usable;
    return choice.isEmpty() ? Optional.empty() : Optional.of(choice.get(choice.size() - 1));
  }

  /** Returns the reason why a volume cannot be opened. */
  static StorageException notInstalled(String volume, String name) {
    return new StorageException(
        ErrorCode.UNSUPPORTED,
        "volume " + volume + ": engine " + name + " is not installed: install its bundle");
  }

  private void openAnew(EngineProvider by, OpenParameters how) throws StorageException {
    OpeningListener listener = listeners.get();
    OpenRequest request = how.requests().request(listener);
    Optional<OpenVolume> adopted = adopted(by, how, request);
    OpenVolume opened = adopted.isPresent() ? adopted.get() : by.open(request);
    try {
      how.requests().opened();
    } catch (StorageException | RuntimeException | Error e) {
      giveUp(opened, adopted.isPresent());
      throw e;
    }
    // Keep the request without its listener, which belongs to the former opening.
    last = Optional.of(again(request, request.sizeBytes(), NobodyListens.INSTANCE));
    opened(by, opened, listener);
    if (adopted.isPresent()) {
      served.adopted(how.frontend());
    }
  }

  /** Hosts do not notice when an export is adopted later. */
  private static void giveUp(OpenVolume opened, boolean adopted) throws StorageException {
    if (adopted && opened instanceof HandoverVolume able) {
      var unused = able.handOver(true);
    } else {
      opened.close();
    }
  }

  /**
   * Continues an export that an earlier process left serving. An export that cannot be continued is
   * withdrawn before the volume is opened again.
   */
  private Optional<OpenVolume> adopted(EngineProvider by, OpenParameters how, OpenRequest request)
      throws StorageException {
    Optional<LeftExports.LeftVolume> left = LeftExports.left(by, request);
    if (left.isEmpty()) {
      return Optional.empty();
    }
    boolean unwanted = how.frontend().isEmpty() || !request.options().salvage().isEmpty();
    if (unwanted) {
      left.get().withdraw();
      return Optional.empty();
    }
    try {
      OpenVolume adopted = left.get().by().adopt(request);
      LOG.info(
          "volume {}: continues with the export of generation {}", volume, left.get().generation());
      return Optional.of(adopted);
    } catch (StorageException e) {
      LOG.info(
          "volume {}: could not continue the export of an earlier process: {}",
          volume,
          e.getMessage());
      if (stays(e)) {
        throw e;
      }
      left.get().withdraw();
      return Optional.empty();
    }
  }

  /** Returns whether a left export may continue to serve until another attempt. */
  private static boolean stays(StorageException failure) {
    return switch (failure.code()) {
      case UNREACHABLE, TIMEOUT, BUSY -> true;
      case NOT_FOUND,
          CONFLICT,
          ALREADY_EXISTS,
          INVALID,
          UNSUPPORTED,
          NO_SPACE,
          EXPIRED,
          FORBIDDEN,
          IO,
          INTERNAL ->
          false;
    };
  }

  private void opened(EngineProvider by, OpenVolume opened, OpeningListener listener) {
    served.opened(by, opened);
    listener.becomeCurrent(opened);
    attempts = 0;
  }

  private static OpenRequest again(OpenRequest request, long size, EngineListener listener) {
    // Omit the salvage, which must not be repeated.
    OpenOptions options =
        new OpenOptions(
            Set.of(), request.options().flushedOnly(), request.options().replicaTimeout());
    return new OpenRequest(
        request.volume(),
        size,
        request.nodeId(),
        request.replicas(),
        request.register(),
        listener,
        options);
  }

  private void resume(InstalledEngine by, Handover handover) throws StorageException {
    OpeningListener listener = listeners.get();
    OpenRequest request = again(last.orElseThrow(), last.orElseThrow().sizeBytes(), listener);
    HandoverEngine engine = (HandoverEngine) by.engine();
    // The next attempt fences this one, whether this one succeeds or fails.
    served.handover(Optional.of(handover.next()));
    OpenVolume opened =
        calls.within(
            TAKE_OVER,
            "volume " + volume + ": resuming in bundle " + by.bundle() + " " + by.version(),
            () -> engine.resume(request, handover),
            this::closeLate);
    opened(engine, opened, listener);
  }

  private void closeLate(OpenVolume late) {
    try {
      late.close();
    } catch (StorageException e) {
      LOG.debug("volume {}: {}", volume, e.getMessage());
    }
  }

  /** Returns the preferred engine if another one has the volume open. */
  Optional<InstalledEngine> better(String name) {
    return best(name)
        .filter(best -> served.engine().filter(used -> used == best.engine()).isEmpty())
        .filter(best -> refused.filter(r -> r == best.engine()).isEmpty());
  }

  /**
   * Hands the open volume over to another engine, or back to the former one if that fails. Requests
   * wait until then. They continue to wait when neither engine has the volume in the end.
   *
   * @return why the other engine does not have it, empty when it has
   * @throws StorageException TIMEOUT or BUSY when its engine cannot hand it over now
   */
  Optional<StorageException> move(InstalledEngine to, OpenParameters how) throws StorageException {
    EngineProvider from = served.engine().orElseThrow();
    prepare(from);
    prepare(to.engine());
    long start = System.nanoTime();
    served.leaveToAnother();
    Optional<StorageException> failure = taken(to, how);
    if (failure.isPresent()) {
      failed(to, failure.get());
      // Not when the former engine is being removed.
      Optional<InstalledEngine> back = plugins.installed(from);
      if (back.isPresent() && taken(back.get(), how).isEmpty()) {
        served.serveAgain();
        LOG.warn(
            "volume {}: bundle {} {} could not take it over, and bundle {} {} keeps it: {}",
            volume,
            to.bundle(),
            to.version(),
            back.get().bundle(),
            back.get().version(),
            failure.get().getMessage());
      }
    } else {
      served.serveAgain();
      Duration pause = Duration.ofNanos(System.nanoTime() - start);
      replacements.moved(to.engine().name(), to.bundle(), pause);
      LOG.info(
          "volume {}: resumed in bundle {} {} after {} us",
          volume,
          to.bundle(),
          to.version(),
          pause.toNanos() / 1000);
    }
    return failure;
  }

  /**
   * Runs while requests still reach the former engine, so that a slow first call does not delay
   * them.
   */
  private void prepare(EngineProvider engine) {
    if (engine instanceof HandoverEngine able) {
      try {
        calls.within(
            TAKE_OVER,
            "volume " + volume + ": preparing engine " + engine.name(),
            () -> {
              able.prepare();
              return true;
            },
            late -> {});
      } catch (StorageException e) {
        LOG.info("{}: continuing without the preparation", e.getMessage());
      }
    }
  }

  private Optional<StorageException> taken(InstalledEngine by, OpenParameters how) {
    try {
      if (served.handover().isPresent() && by.engine() instanceof HandoverEngine) {
        resume(by, served.handover().orElseThrow());
      } else if (served.handover().isEmpty()) {
        openAnew(by.engine(), how);
      } else {
        throw new StorageException(
            ErrorCode.UNSUPPORTED, "engine " + by.engine().name() + " cannot resume a volume");
      }
      return Optional.empty();
    } catch (StorageException e) {
      return Optional.of(e);
    } catch (RuntimeException | Error e) {
      LOG.error("volume {}: engine {} failed to open it", volume, by.engine().name(), e);
      return Optional.of(
          new StorageException(ErrorCode.INTERNAL, "volume " + volume + ": " + e, e));
    }
  }

  private void failed(InstalledEngine by, StorageException why) {
    refused = Optional.of(by.engine());
    replacements.failed(by.engine().name(), by.bundle(), volume, String.valueOf(why.getMessage()));
  }

  /** Forgets an engine that is removed. */
  void forget(EngineProvider leaving) {
    refused = refused.filter(engine -> engine != leaving);
  }

  /** Ignores all events. */
  private enum NobodyListens implements EngineListener {
    INSTANCE;

    @Override
    public void replicaChanged(String replica, MemberMode mode, String reason) {}

    @Override
    public void failed(StorageException cause) {}
  }
}

package dev.holdfast.sharing.internal;

import static dev.holdfast.share.ShareStop.END;
import static dev.holdfast.share.ShareStop.MOVE;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareInstance;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerStatus;
import dev.holdfast.share.ShareObservation;
import dev.holdfast.share.ShareReasons;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareServer;
import dev.holdfast.sharing.internal.ServerDecision.Action;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One step of a share on its node: observe, decide, record, act, record. The share is read from the
 * store, so that an effect is based on the currently recorded epoch. While the store does not
 * answer, {@link ServerGuard} decides whether the server may stay.
 *
 * @param name of the share
 * @param server of its protocol on this node
 * @param keys of encrypted volumes
 * @param context of the reconciler; only its store, clock and events are used
 * @param since time at which this process began to observe shares
 */
record ServerWork(
    String name, ShareServer server, ShareKeys keys, ReconcileContext context, Instant since) {
  private static final Logger LOG = LoggerFactory.getLogger(ServerWork.class);
  private static final Duration LOOK = Duration.ofSeconds(5);
  private static final Duration START = Duration.ofMinutes(10);
  private static final Duration STOP = Duration.ofSeconds(30);

  /** Makes one step. */
  void step() throws StorageException {
    Optional<ShareManager> stored = context.store().get(ShareManager.KIND, name);
    Optional<Volume> volume = context.store().get(Volume.KIND, name);
    if (stored.filter(share -> isHere(share.status())).isPresent()) {
      step(stored.get(), volume);
    }
  }

  private boolean isHere(ShareManagerStatus status) {
    return status.nodeID().equals(context.nodeName());
  }

  private void step(ShareManager share, Optional<Volume> volume) throws StorageException {
    boolean attached = ShareWorld.isAttached(volume, context.nodeName());
    boolean serving = ShareStep.mayServe(share.status().state());
    Optional<ShareRequest> request = Optional.empty();
    Optional<ShareObservation> seen = Optional.empty();
    if (serving && attached) {
      try {
        request = Optional.of(request(share, volume.orElseThrow()));
      } catch (StorageException e) {
        refused(share, e);
        return;
      }
      seen = Optional.of(server.observe(request.get(), LOOK));
    }
    ServerFacts facts =
        new ServerFacts(
            share.spec(),
            share.metadata().generation(),
            volume.map(ShareRequests::size).orElse(0L),
            attached,
            seen,
            now(),
            since);
    ServerDecision decision = ServerStep.next(share.status(), facts);
    ShareManager recorded = record(share, decision.status());
    act(recorded, decision.action(), request, facts.size());
  }

  private Instant now() {
    return context.clock().instant();
  }

  private ShareRequest request(ShareManager share, Volume volume) throws StorageException {
    List<Node> nodes = context.store().list(Node.KIND, LabelSelector.ALL).items();
    return ShareRequests.of(share, volume, nodes, context.nodeName());
  }

  /** Records that this node cannot implement the specification. */
  private void refused(ShareManager share, StorageException cause) throws StorageException {
    if (cause.code() != ErrorCode.INVALID) {
      throw cause;
    }
    record(share, ServerStep.afterFailure(share.status(), Action.START, cause.getMessage(), now()));
  }

  private ShareManager record(ShareManager share, ShareManagerStatus next) throws StorageException {
    if (next.equals(share.status())) {
      return share;
    }
    ShareManager recorded;
    try {
      recorded = context.store().updateStatus(share.withStatus(next));
    } catch (StorageException e) {
      if (next.state() == InstanceState.ERROR && isUnreachable(e)) {
        server.expel(instance(share));
      }
      throw e;
    }
    ShareEvents.tell(share.status(), recorded, context.events());
    return recorded;
  }

  private static boolean isUnreachable(StorageException e) {
    return e.code() == ErrorCode.UNREACHABLE || e.code() == ErrorCode.TIMEOUT;
  }

  private static ShareInstance instance(ShareManager share) {
    return new ShareInstance(share.name(), share.status().epoch().number());
  }

  private void act(ShareManager share, Action action, Optional<ShareRequest> request, long size)
      throws StorageException {
    ShareManagerStatus next;
    try {
      perform(share, action, request);
      next = ServerStep.afterSuccess(share.status(), action, size, now());
    } catch (StorageException e) {
      LOG.warn("share {}: could not {}: {}", name, verb(action), e.getMessage());
      next = ServerStep.afterFailure(share.status(), action, e.getMessage(), now());
    }
    record(share, next);
  }

  private void perform(ShareManager share, Action action, Optional<ShareRequest> request)
      throws StorageException {
    switch (action) {
      case NONE -> {}
      case START -> start(keys.complete(request.orElseThrow(), share.spec()));
      case REPAIR -> server.repair(keys.complete(request.orElseThrow(), share.spec()), START);
      case GROW -> server.grow(request.orElseThrow());
      case STOP -> server.stop(instance(share), share.status().moving() ? MOVE : END, STOP);
      case EXPEL -> server.expel(instance(share));
    }
  }

  private void start(ShareRequest request) throws StorageException {
    List<String> missing = server.missingPackages(Optional.of(request));
    if (!missing.isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          ShareReasons.PACKAGES_MISSING
              + ": node "
              + context.nodeName()
              + " lacks packages: apt-get install "
              + String.join(" ", missing));
    }
    server.start(request, START);
  }

  private static String verb(Action action) {
    return switch (action) {
      case NONE -> "continue";
      case START -> "start the server";
      case REPAIR -> "repair the filesystem";
      case GROW -> "grow the filesystem";
      case STOP -> "stop the server";
      case EXPEL -> "remove the server";
    };
  }
}

package dev.holdfast.portal.internal.replace;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.ReplaceableFrontend;
import dev.holdfast.frontend.ReplaceableSession;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.portal.internal.session.ClientConnection;
import dev.holdfast.portal.internal.session.FrontendCalls;
import dev.holdfast.portal.internal.session.FrontendService;
import dev.holdfast.portal.internal.session.FrontendServices;
import dev.holdfast.portal.internal.session.SessionConnection;
import dev.holdfast.portal.internal.session.SessionSlot;
import dev.holdfast.portal.internal.transport.ReplacementLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Moves one connection's session: parks it, and resumes it in the most preferred frontend that
 * accepts it. A frontend that fails to resume a session is not used again, and the session returns
 * to its former frontend. If that was removed, the session stays parked.
 */
final class SessionMove {
  private final ClientConnection connection;
  private final SessionSlot slot;
  private final FrontendServices services;
  private final FrontendCalls calls;
  private final ReplacementLog log;
  private final ReplacementLimits limits;

  SessionMove(
      ClientConnection connection,
      FrontendServices services,
      FrontendCalls calls,
      ReplacementLog log,
      ReplacementLimits limits) {
    this.connection = connection;
    this.slot = connection.slot();
    this.services = services;
    this.calls = calls;
    this.log = log;
    this.limits = limits;
  }

  /**
   * Runs the move.
   *
   * @param patience maximum wait for the session's calls and requests
   * @return whether the caller must retry soon, because the session is in a call
   */
  boolean run(Duration patience) {
    Optional<FrontendService> from = slot.owner();
    boolean leaving = from.filter(owner -> !owner.present()).isPresent();
    switch (slot.claim(patience.toNanos())) {
      case NOTHING -> {
        return false;
      }
      case BUSY -> {
        if (leaving) {
          slot.hold();
        }
        return !leaving;
      }
      case CLAIMED -> {
        // Continue below: only this move uses the session now.
      }
    }
    boolean settled = false;
    try {
      settled = park(from, leaving, patience) && resume(from);
    } finally {
      if (!settled) {
        slot.release();
      }
    }
    return false;
  }

  /** Returns whether the session is parked now. */
  private boolean park(Optional<FrontendService> from, boolean leaving, Duration patience) {
    if (slot.session() == null) {
      return true;
    }
    if (!(slot.session() instanceof ReplaceableSession session)) {
      return false;
    }
    if (slot.running() && leaving) {
      slot.hold();
    }
    try {
      Optional<SessionState> state =
          calls.within(limits.call().plus(patience), "parking", () -> stateOf(session, patience));
      state.ifPresent(slot::parked);
      return state.isPresent();
    } catch (StorageException e) {
      from.ifPresent(owner -> log.failed(owner.origin(), connection.subject(), e.getMessage()));
      slot.lose();
      connection.sever();
      return false;
    }
  }

  private Optional<SessionState> stateOf(ReplaceableSession session, Duration patience)
      throws StorageException {
    if (slot.running()) {
      slot.stop();
    }
    if (!slot.awaitStopped(patience.toNanos())) {
      return Optional.empty();
    }
    SessionState state = session.state();
    if (state == null) {
      throw new StorageException(ErrorCode.INTERNAL, "the session left no state");
    }
    return Optional.of(state);
  }

  /** Returns whether a bundle resumed the session. */
  private boolean resume(Optional<FrontendService> from) {
    for (FrontendService service : candidates(from)) {
      try {
        take(service);
        return true;
      } catch (StorageException e) {
        service.refuse();
        log.failed(service.origin(), connection.subject(), e.getMessage());
      }
    }
    return false;
  }

  /**
   * Returns the frontends that have not failed, the preferred one first, and then the session's
   * former one.
   */
  private List<FrontendService> candidates(Optional<FrontendService> from) {
    List<FrontendService> candidates = new ArrayList<>(services.all());
    candidates.removeIf(FrontendService::refused);
    from.filter(owner -> owner.present() && owner.refused()).ifPresent(candidates::add);
    return candidates;
  }

  private void take(FrontendService service) throws StorageException {
    ReplaceableFrontend frontend =
        service
            .replaceable()
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.UNSUPPORTED, "it cannot resume sessions of others"));
    SessionConnection view = SessionConnection.resuming(connection);
    SessionState state = slot.state();
    try {
      FrontendSession session =
          calls.within(limits.call(), "resuming", () -> frontend.resume(view, state));
      if (session == null) {
        throw new StorageException(ErrorCode.INTERNAL, "resuming gave no session");
      }
      log.moved(service.origin(), Duration.ofNanos(slot.settle(service, session, view)));
    } catch (StorageException e) {
      view.revoke();
      throw e;
    }
  }
}

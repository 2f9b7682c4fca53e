package dev.holdfast.frontend.iscsi.internal;

import dev.holdfast.block.IoThread;
import dev.holdfast.frontend.ConnectionExport;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * One connection's part in a session of several (RFC 7143, 4.2.2.1). The command numbers belong to
 * the session and are in the {@link SessionConnections}. A command that arrives before its turn
 * blocks its connection. Thread-safe.
 *
 * <p>Connections of this version of the bundle wake a waiting thread. It polls for changes made by
 * the portal and by connections that another version serves.
 */
final class MultiConnectionSession implements CommandNumbers {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final long LOOK_MILLIS = 20;

  private final ConnectionExport attachment;
  private final SessionIdentity identity;
  private final SessionTerms terms;
  private final Optional<String> name;
  private final String export;
  private final MultiConnectionState texts;
  private final LocalConnections companions;
  private volatile SessionConnections last;
  private volatile boolean lost;

  MultiConnectionSession(
      ConnectionExport attachment,
      SessionIdentity identity,
      SessionTerms terms,
      LocalConnections companions) {
    this.attachment = attachment;
    this.identity = identity;
    this.terms = terms;
    this.name = Optional.of(terms.text());
    this.export = TargetNames.export(identity.target()).orElseThrow();
    this.texts = identity.texts(attachment.state().orElseThrow());
    this.companions = companions;
    this.last =
        texts.roster().orElseGet(() -> new SessionConnections(terms.session(), 0, List.of()));
  }

  LocalConnections companions() {
    return companions;
  }

  /** Returns whether the session still has its name, and this connection its place in it. */
  boolean current() {
    return mine().isPresent();
  }

  /** Returns whether the session ended because commands of it were lost. */
  boolean lost() {
    return lost;
  }

  private Optional<SessionConnections> mine() {
    Optional<SessionConnections> now =
        texts
            .roster()
            .filter(
                roster ->
                    roster.session().equals(terms.session())
                        && roster.has(identity.cid(), identity.token()));
    now.ifPresent(roster -> last = roster);
    return texts.terms().equals(name) ? now : Optional.empty();
  }

  @Override
  public boolean take(int cmdSn, boolean place) {
    while (true) {
      Optional<SessionConnections> now = settled(cmdSn);
      if (now.isEmpty()
          || now.get().expected() != cmdSn
          || cmdSn - roomy(now.get()).maximum() > 0) {
        return false;
      }
      if (texts.replace(now.get(), now.get().taken(identity.cid(), place))) {
        companions.changed();
        return true;
      }
    }
  }

  @Override
  public boolean awaitTurn(int cmdSn) {
    return settled(cmdSn).filter(roster -> roster.expected() == cmdSn).isPresent();
  }

  /**
   * Returns the connections once the number is due, was already executed, or is outside of the
   * window.
   */
  private Optional<SessionConnections> settled(int cmdSn) {
    Optional<SessionConnections> now = mine();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (now.isPresent() && early(now.get(), cmdSn)) {
      IoThread.settle();
      if (System.nanoTime() - deadline > 0 || !mayCome()) {
        lose();
        return Optional.empty();
      }
      pauseUnlessChanged(now.get());
      now = mine();
    }
    return now;
  }

  private static boolean early(SessionConnections roster, int cmdSn) {
    return cmdSn - roster.expected() > 0 && cmdSn - roster.maximum() <= 0;
  }

  /**
   * Missing commands can arrive only on another connection, and only while the export is published.
   */
  private boolean mayCome() {
    return attachment.exports().find(export).isPresent()
        && forgetEnded().filter(roster -> roster.members().size() > 1).isPresent();
  }

  private void pauseUnlessChanged(SessionConnections seen) {
    synchronized (companions) {
      if (mine().filter(seen::equals).isPresent()) {
        try {
          TimeUnit.MILLISECONDS.timedWait(companions, LOOK_MILLIS);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException("interrupted while waiting for a command", e);
        }
      }
    }
  }

  /** Removes connections that ended without a logout. */
  private Optional<SessionConnections> forgetEnded() {
    return update(roster -> roster.without(member -> !texts.present(member)));
  }

  private SessionConnections roomy(SessionConnections roster) {
    boolean tight = roster.maximum() - roster.expected() < WINDOW / 2;
    return tight ? forgetEnded().orElse(roster) : roster;
  }

  /** Removes a connection from the session; the last one ends it. */
  void leave(int cid) {
    if (update(roster -> roster.without(member -> member.cid() == cid))
        .filter(roster -> roster.members().isEmpty())
        .isPresent()) {
      texts.release(terms.text());
    }
    companions.changed();
  }

  /** Returns whether the session has a connection of that name. */
  boolean has(int cid) {
    return forgetEnded().flatMap(roster -> roster.member(cid)).isPresent();
  }

  /**
   * Ends the session and its connections. A connection that another version serves ends at its next
   * PDU.
   */
  void close() {
    texts.release(terms.text());
    companions.changed();
    companions.all().forEach(Commands::disconnect);
  }

  /**
   * Ends the session because commands were lost with their connection: the initiator must log in
   * again.
   */
  private void lose() {
    lost = true;
    close();
  }

  private Optional<SessionConnections> update(UnaryOperator<SessionConnections> change) {
    while (true) {
      Optional<SessionConnections> now = mine();
      Optional<SessionConnections> next = now.map(change);
      if (now.equals(next) || texts.replace(now.get(), next.get())) {
        return next;
      }
    }
  }

  @Override
  public void resumed() {
    // The roster still contains the place.
  }

  @Override
  public void end() {
    Optional<SessionConnections> unused = update(roster -> roster.ended(identity.cid()));
  }

  @Override
  public int expCmdSn() {
    Optional<SessionConnections> unused = mine();
    return last.expected();
  }

  @Override
  public int maxCmdSn() {
    Optional<SessionConnections> unused = mine();
    return last.maximum();
  }
}

package dev.holdfast.frontend.testkit;

import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.portal.SocketPortal;
import dev.holdfast.upgrade.ReplaceablePart;
import dev.holdfast.upgrade.ServingBundle;
import java.util.function.Predicate;

/** Replaces a frontend in a portal by successive versions. */
final class Replacements {
  private final SocketPortal portal;
  private final Runnable meanwhile;
  private FrontendProvider current;
  private int version;

  /** Starts with the serving frontend. */
  Replacements(SocketPortal portal, FrontendProvider current) {
    this(portal, current, () -> {});
  }

  /**
   * Starts with the serving frontend, and an action that runs after a version was added, while
   * sessions move to it.
   */
  Replacements(SocketPortal portal, FrontendProvider current, Runnable meanwhile) {
    this.portal = portal;
    this.current = current;
    this.meanwhile = meanwhile;
  }

  /** Adds the next version beside the present one. */
  void beside(FrontendProvider next) {
    version++;
    portal.arrived(next, "1." + version, version);
  }

  /** Adds the next version beside the present one, and waits until all sessions have moved. */
  void sideBySide(FrontendProvider next) {
    beside(next);
    meanwhile.run();
    await("all sessions at the newest version", this::allAtNewest);
    portal.left(current);
    current = next;
  }

  /** Removes the present version, then adds the next one. */
  void inPlace(FrontendProvider next) {
    portal.left(current);
    current = next;
    beside(next);
    await("no parked session", part -> part.parked() == 0);
  }

  /** Adds a newer version, waits for its takeover, and removes it again. */
  void thereAndBack(FrontendProvider next) {
    beside(next);
    meanwhile.run();
    await("all sessions at the newest version", this::allAtNewest);
    portal.left(next);
    await("no parked session", part -> part.parked() == 0);
  }

  /** Removes the newest version. */
  void backFrom(FrontendProvider newest) {
    portal.left(newest);
  }

  /** Removes the present version. */
  void leave() {
    portal.left(current);
  }

  ReplaceablePart part() {
    return portal.parts().stream()
        .filter(part -> part.name().equals(current.name()))
        .findFirst()
        .orElseThrow();
  }

  /**
   * Waits for a state of the frontend's sessions; otherwise fails with the wanted and the present
   * state.
   */
  void await(String wanted, Predicate<ReplaceablePart> state) {
    FrontendContract.awaitThat(
        () -> state.test(part()), () -> "expected " + wanted + ", found " + part());
  }

  /** Waits until the newest version serves a number of sessions. */
  void awaitAtNewest(int sessions) {
    await(sessions + " sessions at the newest version", part -> served(part, version) == sessions);
  }

  /** Returns the number of sessions of the newest version. */
  int servedByNewest() {
    return served(part(), version);
  }

  private boolean allAtNewest(ReplaceablePart part) {
    return served(part, version) == sessions(part) && part.parked() == 0;
  }

  private static int served(ReplaceablePart part, int bundle) {
    return part.bundles().stream()
        .filter(serving -> serving.id() == bundle)
        .mapToInt(ServingBundle::served)
        .sum();
  }

  private static int sessions(ReplaceablePart part) {
    return part.bundles().stream().mapToInt(ServingBundle::served).sum();
  }
}

package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.RequestGate;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Records in the register the decisions that the members made without it, as soon as the register
 * is reachable or when the volume is closed. Thread-safe. Never blocks the caller, and holds no
 * lock during calls of the register.
 */
final class RegisterCatchUp {
  private final RegisterRecord record;
  private final RequestGate gate;
  private final MemberClock clock;
  private final Duration pause;
  private final Consumer<StorageException> whenSuperseded;

  // Guarded by this.
  private boolean awaited;

  /**
   * Prepares without an attempt.
   *
   * @param pause before each attempt
   * @param whenSuperseded called when a later engine took over
   */
  RegisterCatchUp(
      RegisterRecord record,
      RequestGate gate,
      MemberClock clock,
      Duration pause,
      Consumer<StorageException> whenSuperseded) {
    this.record = record;
    this.gate = gate;
    this.clock = clock;
    this.pause = pause;
    this.whenSuperseded = whenSuperseded;
  }

  /** Starts attempts if the register lacks a decision. */
  void begin() {
    if (record.behind()) {
      tryLater();
    }
  }

  private void tryLater() {
    synchronized (this) {
      if (awaited) {
        return;
      }
      awaited = true;
    }
    clock.later(pause, this::tryNow);
  }

  private void tryNow() {
    synchronized (this) {
      awaited = false;
      if (gate.closed()) {
        return;
      }
    }
    try {
      if (!record.behind() || record.change(unchanged -> unchanged)) {
        return;
      }
    } catch (StorageException e) {
      whenSuperseded.accept(e);
      return;
    }
    tryLater();
  }
}

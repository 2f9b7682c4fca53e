package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.CurrentStore;
import dev.holdfast.engine.DecidedEpoch;
import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.EpochRecord;
import dev.holdfast.resource.volume.MembershipRecord;
import java.util.List;
import java.util.TreeSet;

/**
 * A volume's membership in {@code Engine.status.membership}. A write is repeated after concurrent
 * changes of other fields of the Engine.
 */
final class StoreMembershipRegister implements MembershipRegister {
  private static final int ATTEMPTS = 1000;

  private final CurrentStore store;
  private final String node;
  private final String engine;
  private final String uid;

  /**
   * Creates a register.
   *
   * @param store returns the store, at every call
   * @param node that opens the volume
   * @param engine name of the Engine
   * @param uid UID of the Engine: another Engine of this name has another volume's record
   */
  StoreMembershipRegister(CurrentStore store, String node, String engine, String uid) {
    this.store = store;
    this.node = node;
    this.engine = engine;
    this.uid = uid;
  }

  @Override
  public Membership read() throws StorageException {
    try {
      return membership(stored().status().membership());
    } catch (StorageException e) {
      throw undecided(e);
    }
  }

  @Override
  public boolean compareAndSet(Membership expected, Membership next) throws StorageException {
    try {
      return replaced(expected, next);
    } catch (StorageException e) {
      throw undecided(e);
    }
  }

  /**
   * Converts FORBIDDEN. A store that rejects this node, for example because it has just started and
   * does not know its nodes yet, has made no decision. To an engine FORBIDDEN means that a later
   * engine took over.
   */
  private StorageException undecided(StorageException failure) {
    return failure.code() == ErrorCode.FORBIDDEN
        ? new StorageException(
            ErrorCode.UNREACHABLE,
            "engine " + engine + ": the store refuses this node: " + failure.getMessage(),
            failure)
        : failure;
  }

  private boolean replaced(Membership expected, Membership next) throws StorageException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Engine current = stored();
      if (!membership(current.status().membership()).equals(expected)) {
        return false;
      }
      if (next.generation() > expected.generation()) {
        requireWanted(current);
      }
      try {
        store.get().updateStatus(current.withStatus(current.status().withMembership(record(next))));
        return true;
      } catch (StorageException e) {
        if (e.code() != ErrorCode.CONFLICT) {
          throw e;
        }
      }
    }
    throw new StorageException(
        ErrorCode.CONFLICT,
        "engine " + engine + ": could not record its members: its status changes too often");
  }

  /**
   * A node that was cut off may not know yet that its volume moved to another node. If it opened
   * the volume again, it would fence the node that serves it.
   */
  private void requireWanted(Engine current) throws StorageException {
    if (!EngineStep.wanted(current, node)) {
      throw new StorageException(
          ErrorCode.BUSY,
          "engine "
              + engine
              + " may no longer run on node "
              + node
              + " any more: the volume "
              + current.spec().volume()
              + " is not opened here");
    }
  }

  private Engine stored() throws StorageException {
    return store
        .get()
        .get(Engine.KIND, engine)
        .filter(found -> found.metadata().uid().equals(uid))
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.NOT_FOUND, "engine " + engine + " with uid " + uid + " is gone"));
  }

  static Membership membership(MembershipRecord stored) {
    return new Membership(
        stored.generation(),
        stored.owner(),
        stored.epochGeneration(),
        stored.epochNumber(),
        new TreeSet<>(stored.members()),
        stored.sizeBytes(),
        stored.pendingOperation(),
        stored.history().stream()
            .map(
                epoch ->
                    new DecidedEpoch(
                        epoch.generation(),
                        epoch.number(),
                        new TreeSet<>(epoch.members()),
                        epoch.reason()))
            .toList());
  }

  static MembershipRecord record(Membership membership) {
    return new MembershipRecord(
        membership.generation(),
        membership.owner(),
        membership.epochGeneration(),
        membership.epochNumber(),
        List.copyOf(membership.members()),
        membership.sizeBytes(),
        membership.pendingOperation(),
        membership.history().stream()
            .map(
                epoch ->
                    new EpochRecord(
                        epoch.generation(),
                        epoch.number(),
                        List.copyOf(epoch.members()),
                        epoch.reason()))
            .toList());
  }
}

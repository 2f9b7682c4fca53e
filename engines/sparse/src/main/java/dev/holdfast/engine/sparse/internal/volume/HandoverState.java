package dev.holdfast.engine.sparse.internal.volume;

import dev.holdfast.engine.Handover;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.chain.LayerIndexCache;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.members.RegisterRecord;
import dev.holdfast.engine.sparse.internal.members.TimedMember;
import dev.holdfast.engine.sparse.internal.replica.InheritedIndex;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * State that one opening leaves for the next of the same generation, as JSON (docs/REPLICATION.md,
 * "Another engine continues"). The indexes of local replicas are the parts of the hand-over, by the
 * replica's identity.
 *
 * @param register what is known of the register
 * @param latestNumber highest number of an epoch that was sent to any member
 * @param sizeBytes of the volume
 * @param members those that are current
 * @param modes of all replicas that were asked for
 */
public record HandoverState(
    RegisterRecord.Knowledge register,
    long latestNumber,
    long sizeBytes,
    List<Left> members,
    Map<String, MemberMode> modes) {
  static final int FORMAT = 1;

  // A member that loses its link counts its own sessions up from here, and so do rebuilds.
  private static final int SESSION_SHIFT = 44;

  /**
   * A member that is left.
   *
   * @param id its identity
   * @param location where it is
   * @param layers names of its layers, the oldest first; empty when there is no index
   * @param slots by which the index knows them
   */
  record Left(String id, ReplicaLocation location, List<String> layers, List<Integer> slots) {}

  /** Returns the session of members in an attempt to continue. */
  public static long session(long attempt) {
    return attempt << SESSION_SHIFT;
  }

  /**
   * Serializes an open volume without requests in flight, now or later.
   *
   * @param attempt number of the hand-over by which this opening continued, 0 if it was opened
   *     without one
   */
  public static Handover of(VolumeContext parts, long attempt) throws StorageException {
    Token token = new Token(parts.record().generation(), session(attempt));
    List<Left> members = new ArrayList<>();
    Map<String, byte[][]> indexes = new TreeMap<>();
    for (Member member : parts.members().current()) {
      Optional<LayerIndexCache> known =
          member instanceof TimedMember near
              ? near.replica().heritage(token).map(InheritedIndex::layers)
              : Optional.empty();
      known.ifPresent(layers -> indexes.put(member.id(), layers.index()));
      members.add(
          new Left(
              member.id(),
              member.location(),
              known.map(LayerIndexCache::names).orElse(List.of()),
              known.map(LayerIndexCache::slots).orElse(List.of())));
    }
    HandoverState state =
        new HandoverState(
            parts.record().knowledge(),
            parts.keeper().latestNumber(),
            parts.device().size(),
            members,
            parts.modes().all());
    try {
      return new Handover(FORMAT, attempt + 1, StateFiles.encode(state), indexes);
    } catch (IOException e) {
      throw StorageException.io("volume " + parts.name() + " cannot be handed over", e);
    }
  }

  /** Reads what was left. */
  static HandoverState read(String volume, Handover handover) throws StorageException {
    if (handover.format() != FORMAT) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + volume
              + " was left in format "
              + handover.format()
              + "; this engine knows "
              + FORMAT);
    }
    try {
      return StateFiles.decode("what is left of " + volume, handover.state(), HandoverState.class);
    } catch (IOException e) {
      throw new StorageException(ErrorCode.INVALID, "volume " + volume + ": " + e.getMessage(), e);
    }
  }

  Token token(long attempt) {
    return new Token(register.stored().generation(), session(attempt));
  }

  /** Returns what is known of a local member's layers. */
  Optional<InheritedIndex> heritage(Left member, Handover handover) {
    byte[][] index = handover.parts().get(member.id());
    return index == null
        ? Optional.empty()
        : Optional.of(
            new InheritedIndex(
                token(handover.session()),
                new LayerIndexCache(member.layers(), member.slots(), sizeBytes, index)));
  }
}

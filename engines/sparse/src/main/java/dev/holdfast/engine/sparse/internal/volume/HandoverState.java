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
 * @param register knowledge of the register's content
 * @param latestNumber highest number of an epoch that was sent to any member
 * @param sizeBytes size of the volume in bytes
 * @param members the current members
 * @param modes modes of all requested replicas
 */
public record HandoverState(
    RegisterRecord.Knowledge register,
    long latestNumber,
    long sizeBytes,
    List<Left> members,
    Map<String, MemberMode> modes) {
  static final int FORMAT = 1;

  // A member that loses its link numbers its own sessions upwards from here, and so do rebuilds.
  private static final int SESSION_SHIFT = 44;

  /**
   * State of one member.
   *
   * @param id its identity
   * @param location place of the replica
   * @param layers names of its layers, the oldest first; empty without an index
   * @param slots slots of these layers in the index
   */
  record Left(String id, ReplicaLocation location, List<String> layers, List<Integer> slots) {}

  /** Returns the session number of members for an attempt to continue. */
  public static long session(long attempt) {
    return attempt << SESSION_SHIFT;
  }

  /**
   * Serializes an open volume. Called when no request is in flight or can follow.
   *
   * @param attempt number of the hand-over that continued this opening, 0 after an opening without
   *     hand-over
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

  /** Reads the state of a hand-over. */
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
      return StateFiles.decode(
          "the state of volume " + volume, handover.state(), HandoverState.class);
    } catch (IOException e) {
      throw new StorageException(ErrorCode.INVALID, "volume " + volume + ": " + e.getMessage(), e);
    }
  }

  Token token(long attempt) {
    return new Token(register.stored().generation(), session(attempt));
  }

  /** Returns the index of a local member's layers. */
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

package dev.holdfast.datapath;

import dev.holdfast.engine.EngineListener.RequestWait;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.error.StorageException;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * State of an attached volume.
 *
 * @param phase where it is
 * @param failure why it does not serve, empty when nothing failed
 * @param retryAt when a failed step may be tried again
 * @param frontend through which it is published, empty when it is not
 * @param endpoint of the export, empty when it is not published
 * @param modes what the engine does with each replica
 * @param sizeBytes of the device, 0 before the first opening
 * @param refusal why another engine, which should have the volume, has it not; else empty
 * @param admits the nodes that may pass requests on
 * @param forwardsTo the node to which it passes requests on, empty for none
 * @param serving the way in which hosts reach it; empty while this process has not decided
 * @param waits what requests wait for in the engine, empty while they pass
 */
@RecordBuilder
public record AttachedVolumeStatus(
    Phase phase,
    Optional<StorageException> failure,
    Instant retryAt,
    String frontend,
    String endpoint,
    Map<String, MemberMode> modes,
    long sizeBytes,
    String refusal,
    Set<String> admits,
    String forwardsTo,
    Optional<ServingState> serving,
    Optional<RequestWait> waits)
    implements AttachedVolumeStatusBuilder.With {

  /** State of a volume before its first step. */
  public static final AttachedVolumeStatus INITIAL =
      new AttachedVolumeStatus(
          Phase.OPENING,
          Optional.empty(),
          Instant.EPOCH,
          "",
          "",
          Map.of(),
          0,
          "",
          Set.of(),
          "",
          Optional.empty(),
          Optional.empty());

  /**
   * Phase of an attached volume.
   *
   * <pre>
   *      .------> FORWARDING ---.
   *      |                      v
   *   OPENING ---------------> OPEN -----> CLOSING ---> CLOSED
   *     |  ^  ^                 |  ^          ^
   *     v  |  |                 v  |          |
   *   FAILED  +--------------- HELD-----------+
   *      (it closes from every phase, and is held when it forwards, too)
   * </pre>
   */
  public enum Phase {
    /** The engine opens the volume. */
    OPENING,
    /** The volume is open; published or not. */
    OPEN,
    /** Another node has the volume open, and gets all requests; published or not. */
    FORWARDING,
    /** The engine is away: the volume is closed, requests wait at the gate. */
    HELD,
    /** Everything is closed; it may be opened again. */
    FAILED,
    /** The volume is closing permanently. */
    CLOSING,
    /** Closed permanently. */
    CLOSED
  }

  /** Copies the collections. */
  public AttachedVolumeStatus {
    modes = Map.copyOf(modes);
    admits = Set.copyOf(admits);
  }

  /** Returns whether it serves as wanted. */
  public boolean serves(String wantedFrontend) {
    return (phase == Phase.OPEN || phase == Phase.FORWARDING) && frontend.equals(wantedFrontend);
  }
}

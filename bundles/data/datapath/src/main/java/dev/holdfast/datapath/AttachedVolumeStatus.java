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
 * @param phase phase of the volume
 * @param failure why it does not serve, empty without a failure
 * @param retryAt time of the next attempt of a failed step
 * @param frontend frontend that publishes it, empty when it is not published
 * @param endpoint endpoint of the export, empty when it is not published
 * @param modes mode of each replica in the engine
 * @param sizeBytes size of the device in bytes, 0 before the first opening
 * @param refusal why a preferred engine has not taken the volume over; else empty
 * @param admits nodes that may forward requests
 * @param forwardsTo node to which requests are forwarded, empty for none
 * @param serving how hosts reach the volume; empty while this process has not decided
 * @param waits what requests wait for in the engine, empty while they do not wait
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
    /** Another node has the volume open and receives all requests; published or not. */
    FORWARDING,
    /** The engine is absent: the volume is closed, and requests wait at the gate. */
    HELD,
    /** All parts are closed; the volume may be opened again. */
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

package dev.holdfast.engine.testkit;

import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ReplicaLocation;

/** Abilities that the kit needs with the engine under test. */
public interface EngineLab {
  /**
   * Starts an engine that sees what an earlier one kept, as after a restart of the process.
   *
   * @return the engine, never null
   * @throws Exception when it cannot be started
   */
  EngineProvider start() throws Exception;

  /**
   * Ends an engine in order, whatever it still has open.
   *
   * @param engine one that {@link #start} returned, not null
   * @throws Exception when it cannot be ended
   */
  void stop(EngineProvider engine) throws Exception;

  /**
   * Ends an engine as {@code kill -9} does: nothing is closed or written any more, locks are gone.
   *
   * @param engine one that {@link #start} returned, not null
   * @throws Exception when it cannot be ended
   */
  void kill(EngineProvider engine) throws Exception;

  /** More, for engines that declare {@code REPLICATED}. */
  interface Replicated extends EngineLab {
    /**
     * Makes every later access of the running engine to a replica's bytes fail, as a broken disk
     * does, until {@link #repair}.
     *
     * @param replica not null
     */
    void breakDisk(ReplicaLocation replica);

    /**
     * Ends what {@link #breakDisk} began.
     *
     * @param replica not null
     */
    void repair(ReplicaLocation replica);

    /**
     * Changes one bit of what a replica holds of a snapshot's own layer, around the engine, as a
     * disk that rots does. Called for engines that declare {@code SCRUBBING}.
     *
     * @param replica not null
     * @param snapshot its name, not null
     * @param offset in the volume, at which the snapshot's layer has data
     * @throws Exception when it cannot be done
     */
    void rot(ReplicaLocation replica, String snapshot, long offset) throws Exception;

    /**
     * Reads a replica's whole content around the engine.
     *
     * @param replica whose volume is closed, not null
     * @return its bytes, never null
     * @throws Exception when it cannot be read
     */
    byte[] content(ReplicaLocation replica) throws Exception;

    /**
     * Returns where an open volume finds a replica that was provisioned; elsewhere than the kit
     * thinks, when the lab has put it on another node.
     *
     * @param replica not null
     * @return its place, never null
     */
    default ReplicaLocation placed(ReplicaLocation replica) {
      return replica;
    }
  }
}

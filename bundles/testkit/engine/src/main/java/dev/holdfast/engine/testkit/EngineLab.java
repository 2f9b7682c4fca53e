package dev.holdfast.engine.testkit;

import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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
   * Stops an engine cleanly, also with open volumes.
   *
   * @param engine one that {@link #start} returned, not null
   * @throws Exception when it cannot be ended
   */
  void stop(EngineProvider engine) throws Exception;

  /**
   * Ends an engine as {@code kill -9} does: nothing is closed or written afterwards, and locks are
   * released.
   *
   * @param engine one that {@link #start} returned, not null
   * @throws Exception when it cannot be ended
   */
  void kill(EngineProvider engine) throws Exception;

  /**
   * Makes a disk for the engine under test, of a kind that it can use: by default a directory. The
   * same folder and number give the same disk.
   *
   * @param folder of the test, removed after it, not null
   * @param number of the disk
   * @return where node-1 finds the disk, blank when it was just made, never null
   * @throws Exception when it cannot be made
   */
  default DiskLocation disk(Path folder, int number) throws Exception {
    return DiskLocation.directory(
        "node-1", Files.createDirectories(folder.resolve("disk-" + number)));
  }

  /** More, for an engine that runs on several nodes of one cluster. */
  interface SeveralNodes extends EngineLab {
    /**
     * Starts an engine of another node, which reaches the other engines and sees the same disks.
     *
     * @param node name of the node, as it stands in the requests
     * @return the engine, never null; the kit ends it with {@link #stop} or {@link #kill}
     * @throws Exception when it cannot be started
     */
    EngineProvider startOn(String node) throws Exception;

    /**
     * Returns a disk as another node finds it.
     *
     * @param disk as node-1 finds it, not null
     * @param node name of the other node, not null
     */
    DiskLocation seenFrom(DiskLocation disk, String node);
  }

  /** More, for an engine with disks that several nodes see and {@code Fencing.DISK_LOCK}. */
  interface SharedDisk extends SeveralNodes {
    /**
     * Expires the locks of an engine as those of a silent node, while the engine keeps running and
     * is not notified.
     *
     * @param engine one that was started, not null
     * @throws Exception when it cannot be done
     */
    void expireLocks(EngineProvider engine) throws Exception;

    /**
     * Puts something on a blank disk that no engine of this name wrote.
     *
     * @param disk a blank disk, not null
     * @return a word that describes it, which messages must contain
     * @throws Exception when it cannot be done
     */
    String putForeignContent(DiskLocation disk) throws Exception;

    /**
     * Reads all of a disk around the engine.
     *
     * @param disk not null
     * @return its bytes, never null
     * @throws Exception when it cannot be read
     */
    byte[] content(DiskLocation disk) throws Exception;

    /**
     * Returns a place without a disk.
     *
     * @param disk a disk of the same kind, not null
     */
    DiskLocation absent(DiskLocation disk);
  }

  /**
   * Returns a request that admits one host, which {@link #connect} then uses. Called for engines
   * that declare {@code NATIVE_EXPORT}.
   *
   * @param protocol one that the volume offers, not null
   * @param export name of the export, not null
   * @return the request, never null; by default it admits {@link ExportHost#LOCAL}
   */
  default ExportRequest request(String protocol, String export) {
    return ExportRequest.of(protocol, export, List.of(ExportHost.LOCAL));
  }

  /**
   * Connects the host of {@link #request} to an export.
   *
   * @param endpoint of the export, not null
   * @return the connection, never null; by default one of an NBD client
   * @throws IOException when the export does not admit the host
   */
  default HostConnection connect(URI endpoint) throws IOException {
    return new NbdHostConnection(endpoint);
  }

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

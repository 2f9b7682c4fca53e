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

/** Functions that the kit needs for the engine under test. */
public interface EngineLab {
  /**
   * Starts an engine with the storage of the earlier one, as after a restart of the process.
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
   * Ends an engine like {@code kill -9}: without further closes or writes, and with a release of
   * its locks.
   *
   * @param engine one that {@link #start} returned, not null
   * @throws Exception when it cannot be ended
   */
  void kill(EngineProvider engine) throws Exception;

  /**
   * Creates a disk of a kind that the engine under test supports; by default a directory. The same
   * folder and number give the same disk.
   *
   * @param folder of the test, removed after it, not null
   * @param number of the disk
   * @return place of the disk on node-1, blank if newly created, never null
   * @throws Exception when it cannot be created
   */
  default DiskLocation disk(Path folder, int number) throws Exception {
    return DiskLocation.directory(
        "node-1", Files.createDirectories(folder.resolve("disk-" + number)));
  }

  /** Additional functions for an engine that runs on several nodes of one cluster. */
  interface SeveralNodes extends EngineLab {
    /**
     * Starts an engine of another node, which reaches the other engines and sees the same disks.
     *
     * @param node name of the node in the requests
     * @return the engine, never null; the kit ends it with {@link #stop} or {@link #kill}
     * @throws Exception when it cannot be started
     */
    EngineProvider startOn(String node) throws Exception;

    /**
     * Returns the place of a disk on another node.
     *
     * @param disk place of the disk on node-1, not null
     * @param node name of the other node, not null
     */
    DiskLocation seenFrom(DiskLocation disk, String node);
  }

  /** Additional functions for an engine with shared disks and {@code Fencing.DISK_LOCK}. */
  interface SharedDisk extends SeveralNodes {
    /**
     * Expires the locks of an engine like those of an unreachable node, while the engine continues
     * without a notification.
     *
     * @param engine one that was started, not null
     * @throws Exception when it cannot be done
     */
    void expireLocks(EngineProvider engine) throws Exception;

    /**
     * Writes foreign content to a blank disk.
     *
     * @param disk a blank disk, not null
     * @return a word that describes it, which messages must contain
     * @throws Exception when it cannot be done
     */
    String putForeignContent(DiskLocation disk) throws Exception;

    /**
     * Reads a complete disk, bypassing the engine.
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

  /** Additional functions for engines that declare {@code REPLICATED}. */
  interface Replicated extends EngineLab {
    /**
     * Makes every later access of the running engine to a replica's bytes fail, like a broken disk,
     * until {@link #repair}.
     *
     * @param replica not null
     */
    void breakDisk(ReplicaLocation replica);

    /**
     * Ends the fault of {@link #breakDisk}.
     *
     * @param replica not null
     */
    void repair(ReplicaLocation replica);

    /**
     * Changes one bit of a snapshot's own layer on a replica, bypassing the engine, like a decaying
     * disk. Called for engines that declare {@code SCRUBBING}.
     *
     * @param replica not null
     * @param snapshot name of the snapshot, not null
     * @param offset in the volume, at which the snapshot's layer has data
     * @throws Exception when it cannot be done
     */
    void rot(ReplicaLocation replica, String snapshot, long offset) throws Exception;

    /**
     * Reads a replica's complete content, bypassing the engine.
     *
     * @param replica whose volume is closed, not null
     * @return its bytes, never null
     * @throws Exception when it cannot be read
     */
    byte[] content(ReplicaLocation replica) throws Exception;

    /**
     * Returns the actual place of a provisioned replica, which differs from the given one if the
     * lab uses another node.
     *
     * @param replica not null
     * @return its place, never null
     */
    default ReplicaLocation placed(ReplicaLocation replica) {
      return replica;
    }
  }
}

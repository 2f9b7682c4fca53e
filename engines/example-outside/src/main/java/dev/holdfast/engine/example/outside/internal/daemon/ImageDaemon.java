package dev.holdfast.engine.example.outside.internal.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.example.outside.internal.nbd.NbdConnection;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.processes.ProcessListener;
import dev.holdfast.processes.ProcessSupervisor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The daemon that has the image of a volume and the lock of its replica. It exports the image to
 * the device of this program and to the daemons to which hosts connect. Calls do not overlap.
 */
public final class ImageDaemon implements AutoCloseable {
  /** Name of its process. */
  public static final String NAME = "image";

  private static final String NODE = "volume";
  private static final String DEVICE = "device";
  private static final Duration STOP = Duration.ofSeconds(5);
  private static final Duration COPY = Duration.ofHours(6);

  private final NodeFolder place;
  private final Path image;
  private final StorageDaemon daemon;
  private final Tether tether;

  /**
   * Prepares it; the folder exists.
   *
   * @param image of the volume
   * @param lock of the replica
   */
  public ImageDaemon(
      NodeFolder place,
      ProcessSupervisor supervisor,
      DaemonSettings settings,
      Path image,
      Path lock)
      throws StorageException {
    this.place = place;
    this.image = image;
    List<String> command = StorageDaemon.command(settings.program(), place, NAME, List.of());
    List<String> tied = Tether.tied(command, lock, settings.lockWait(), place);
    this.daemon =
        new StorageDaemon(
            place, supervisor, StorageDaemon.spec(NAME, tied, settings.restarts(), STOP));
    this.tether = Tether.hold(place);
  }

  /**
   * Adopts it or starts it, and waits until it has the lock and answers.
   *
   * @return whether it has the lock; false when another process has it
   */
  public boolean begin(ProcessListener listener) throws StorageException {
    daemon.begin(listener);
    try (Qmp qmp = daemon.control()) {
      return qmp != null;
    } catch (StorageException e) {
      if (isLocked()) {
        return false;
      }
      throw e;
    }
  }

  /** Returns whether it ended because another process has the lock. */
  public boolean isLocked() {
    return daemon.status().filter(now -> now.detail().endsWith(" " + Tether.LOCKED)).isPresent();
  }

  /** Returns which process it is, empty while it waits for its restart. */
  public Optional<ProcessIdentity> identity() {
    return daemon.identity();
  }

  /**
   * Opens the image and exports it, as far as that is not so.
   *
   * @param exports keys of the exports to hosts
   */
  public void configure(Set<String> exports) throws StorageException {
    try (Qmp qmp = daemon.control()) {
      configure(new BlockGraph(qmp), exports);
    }
  }

  private void configure(BlockGraph graph, Set<String> exports) throws StorageException {
    if (!graph.hasNode(NODE)) {
      graph.addImage(NODE, image, false);
    }
    graph.export(NODE, DEVICE);
    for (String key : exports) {
      graph.export(NODE, HostsDaemon.name(key));
    }
  }

  /** Connects the device of this program. */
  public NbdConnection connect() throws IOException {
    return NbdConnection.open(place.server(NAME), DEVICE);
  }

  /** Returns whether the process runs, and so has the lock. */
  public boolean isAlive() {
    return identity().filter(ProcessIdentity::isAlive).isPresent();
  }

  /**
   * Withdraws an export: when this returns, its last request has ended. A process that has ended
   * has no requests, and the next one has no exports.
   */
  public void withdraw(String key) throws StorageException {
    if (!isAlive()) {
      return;
    }
    try (Qmp qmp = daemon.control()) {
      new BlockGraph(qmp).withdraw(HostsDaemon.name(key));
    } catch (StorageException e) {
      if (isAlive()) {
        throw e;
      }
    }
  }

  /**
   * Ends the requests of an export that is not used at the moment, and offers it again.
   *
   * @return whether all requests have ended in time
   */
  public boolean drain(String key, Duration patience) throws StorageException {
    try (Qmp qmp = daemon.control()) {
      BlockGraph graph = new BlockGraph(qmp);
      boolean drained = graph.withdraw(HostsDaemon.name(key), patience);
      graph.export(NODE, HostsDaemon.name(key));
      return drained;
    }
  }

  /**
   * Copies the content of this moment, while requests continue.
   *
   * @param target a file of the size of the volume, all of it a hole
   */
  public void copy(Path target) throws StorageException {
    String job = "copy-" + Long.toHexString(System.nanoTime());
    try (Qmp qmp = daemon.control()) {
      BlockGraph graph = new BlockGraph(qmp);
      graph.addImage(job, target, true);
      ObjectNode backup = Qmp.arguments().put("job-id", job).put("device", NODE);
      backup.put("target", job).put("sync", "full").put("auto-dismiss", false);
      qmp.call("blockdev-backup", backup);
      boolean ended =
          qmp.await(
              "JOB_STATUS_CHANGE",
              data ->
                  data.path("id").asText().equals(job)
                      && data.path("status").asText().equals("concluded"),
              COPY);
      String failure = ended ? failure(qmp, job) : "it does not end";
      if (ended) {
        qmp.call("job-dismiss", Qmp.arguments().put("id", job));
        graph.removeNode(job);
      }
      if (!failure.isEmpty()) {
        throw new StorageException(
            failure.contains("No space") ? ErrorCode.NO_SPACE : ErrorCode.IO,
            "volume "
                + place.volume()
                + ": could not copy its image to "
                + target
                + ": "
                + failure);
      }
    }
  }

  private static String failure(Qmp qmp, String job) throws StorageException {
    for (JsonNode found : qmp.call("query-jobs", Qmp.arguments())) {
      if (found.path("id").asText().equals(job)) {
        return found.path("error").asText();
      }
    }
    return "";
  }

  /** An action that replaces the file of the image. */
  @FunctionalInterface
  public interface Replacement {
    /** Does it, while the daemon does not have the image open. */
    void run() throws IOException;
  }

  /** Lets the file of the image be replaced; clients are disconnected, and connect again. */
  public void replace(Replacement replacement, Set<String> exports) throws StorageException {
    try (Qmp qmp = daemon.control()) {
      BlockGraph graph = new BlockGraph(qmp);
      graph.withdraw(DEVICE);
      for (String key : exports) {
        graph.withdraw(HostsDaemon.name(key));
      }
      graph.removeNode(NODE);
      try {
        replacement.run();
      } catch (IOException e) {
        throw StorageException.io("volume " + place.volume() + ": " + image, e);
      } finally {
        configure(graph, exports);
      }
    }
  }

  /** Ends the process, which frees the lock. Succeeds when it does not run. */
  public void end() throws StorageException {
    daemon.end();
  }

  /** Leaves the process, which ends by itself unless the volume is exported. Idempotent. */
  @Override
  public void close() throws StorageException {
    tether.close();
  }
}

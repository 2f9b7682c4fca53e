package dev.holdfast.share;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Objects;

/**
 * Observed state of a share on this node.
 *
 * @param present whether the node has parts of this share under the request's epoch
 * @param device whether the device is present and belongs to the volume
 * @param mounted whether the filesystem of that device is mounted
 * @param process state of the server's process
 * @param answers whether the server answers on its control interface
 * @param exported whether the server exports the volume
 * @param current whether the server has the settings of the request; otherwise {@link
 *     ShareServer#start} applies them
 * @param probe result of a write to the filesystem
 * @param inGrace whether clients reclaim their locks
 * @param size bytes that the filesystem can use; 0 while it is not mounted
 * @param endpoint URI of the export, empty while it is not exported
 * @param serverVersion version of the server; empty while it does not answer
 * @param clients addresses of the clients that have mounted the share, sorted
 * @param message cause of a problem, for users; empty for none
 */
@RecordBuilder
public record ShareObservation(
    boolean present,
    boolean device,
    boolean mounted,
    ServerProcess process,
    boolean answers,
    boolean exported,
    boolean current,
    WriteProbe probe,
    boolean inGrace,
    long size,
    String endpoint,
    String serverVersion,
    List<String> clients,
    String message)
    implements ShareObservationBuilder.With {
  /** The node has no part of the share. */
  public static final ShareObservation NOTHING =
      new ShareObservation(
          false,
          false,
          false,
          ServerProcess.ABSENT,
          false,
          false,
          false,
          WriteProbe.NOT_MOUNTED,
          false,
          0,
          "",
          "",
          List.of(),
          "");

  /** Copies the list and rejects null components. */
  public ShareObservation {
    Objects.requireNonNull(process, "process");
    Objects.requireNonNull(probe, "probe");
    Objects.requireNonNull(endpoint, "endpoint");
    Objects.requireNonNull(serverVersion, "serverVersion");
    clients = List.copyOf(clients);
    Objects.requireNonNull(message, "message");
  }

  /** Returns whether clients can use the share. A full filesystem counts as usable. */
  public boolean serves() {
    boolean writes = probe == WriteProbe.WRITTEN || probe == WriteProbe.FULL;
    return device && mounted && process == ServerProcess.RUNNING && answers && exported && writes;
  }
}

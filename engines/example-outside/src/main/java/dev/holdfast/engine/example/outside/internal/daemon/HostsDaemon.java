package dev.holdfast.engine.example.outside.internal.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.processes.ProcessListener;
import dev.holdfast.processes.ProcessSupervisor;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The daemon to which the hosts of one export connect. It passes their requests on to the daemon of
 * the image, and keeps them while that one is away, so it can be stopped without an error. It has
 * no data of its own. Calls do not overlap.
 */
public final class HostsDaemon {
  private static final String PASSED_ON = "passed-on";
  private static final String LIMITED = "limited";
  private static final String GROUP = "limits";
  private static final int RECONNECT_SECONDS = 7 * 24 * 3600;
  private static final int OPEN_SECONDS = 10;

  /** It waits for the image's daemon instead of ending, and has nothing to lose. */
  private static final Duration STOP = Duration.ofMillis(200);

  private final NodeFolder place;
  private final String export;
  private final String key;
  private final StorageDaemon daemon;

  /**
   * Prepares it.
   *
   * @param export name by which hosts ask for it
   */
  public HostsDaemon(
      NodeFolder place, ProcessSupervisor supervisor, DaemonSettings settings, String export)
      throws StorageException {
    this.place = place;
    this.export = export;
    this.key = NodeFolder.shortName(export);
    List<String> group = List.of("--object", "throttle-group,id=" + GROUP);
    List<String> command = StorageDaemon.command(settings.program(), place, name(key), group);
    this.daemon =
        new StorageDaemon(
            place, supervisor, StorageDaemon.spec(name(key), command, settings.restarts(), STOP));
  }

  /** Returns the name of the process, and of the image's export, of a key. */
  static String name(String key) {
    return "hosts-" + key;
  }

  /** Returns the short name of the export. */
  public String key() {
    return key;
  }

  /** Returns where hosts on this node find it. */
  public URI endpoint() {
    try {
      return new URI("nbd+unix", "", "/" + export, "socket=" + place.server(name(key)), null);
    } catch (URISyntaxException e) {
      throw new IllegalStateException("export " + export + " has no address", e);
    }
  }

  /** Adopts it, or starts it. */
  public void begin(ProcessListener listener) throws StorageException {
    daemon.begin(listener);
  }

  /** Returns which process it is, empty while it waits for its restart. */
  public Optional<ProcessIdentity> identity() {
    return daemon.identity();
  }

  /** Connects it to the image's daemon and offers it to hosts, as far as that is not so. */
  public void configure(ExportLimits limits) throws StorageException {
    try (Qmp qmp = daemon.control()) {
      BlockGraph graph = new BlockGraph(qmp);
      if (!graph.hasNode(PASSED_ON)) {
        ObjectNode client = Qmp.arguments().put("driver", "nbd").put("node-name", PASSED_ON);
        ObjectNode server = client.putObject("server").put("type", "unix");
        server.put("path", place.server(ImageDaemon.NAME).toString());
        client.put("export", name(key)).put("open-timeout", OPEN_SECONDS);
        qmp.call("blockdev-add", client.put("reconnect-delay", RECONNECT_SECONDS));
      }
      if (!graph.hasNode(LIMITED)) {
        ObjectNode filter = Qmp.arguments().put("driver", "throttle").put("node-name", LIMITED);
        qmp.call("blockdev-add", filter.put("throttle-group", GROUP).put("file", PASSED_ON));
      }
      limit(qmp, limits);
      graph.export(LIMITED, "hosts", export);
    }
  }

  /** Sets the limits. */
  public void limit(ExportLimits limits) throws StorageException {
    try (Qmp qmp = daemon.control()) {
      limit(qmp, limits);
    }
  }

  private static void limit(Qmp qmp, ExportLimits limits) throws StorageException {
    ObjectNode set = Qmp.arguments().put("path", "/objects/" + GROUP).put("property", "limits");
    set.set("value", Throttle.limits(limits));
    qmp.call("qom-set", set);
  }

  /** Stops the process: it passes nothing on until {@link #proceed}. */
  public void pause() throws StorageException {
    Signals.stop(
        identity()
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.BUSY,
                        "export " + export + ": its daemon is being restarted: try again")));
  }

  /** Lets the process continue. Succeeds when it does not run. */
  public void proceed() throws StorageException {
    Optional<ProcessIdentity> running = identity();
    if (running.isPresent()) {
      Signals.proceed(running.get());
    }
  }

  /** Disconnects its hosts and ends the process. Succeeds when it does not run. */
  public void end() throws StorageException {
    daemon.end();
  }
}

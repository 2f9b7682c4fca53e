package dev.holdfast.share.nfs.internal.ganesha;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.processes.ProcessSupervisor;
import dev.holdfast.processes.SupervisedProcess;
import dev.holdfast.share.nfs.internal.address.ListeningPort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server of one share: Ganesha, its D-Bus and its configuration. Both processes outlive the
 * container, and the next container adopts them. Calls for one share must not overlap.
 */
public final class GaneshaServer {
  private static final Logger LOG = LoggerFactory.getLogger(GaneshaServer.class);
  private static final Duration READY = Duration.ofSeconds(15);

  /** A busy host needs this time to start a server, whatever its grace. */
  private static final Duration LEAST = Duration.ofSeconds(5);

  private static final Duration ANSWER = Duration.ofSeconds(2);

  private final Host host;
  private final String volume;
  private final ShareFolder folder;
  private final GaneshaProcesses processes;

  /**
   * Names the server of a share.
   *
   * @param host has the programs
   * @param supervisor of the processes of all shares of this node
   */
  public GaneshaServer(Host host, ProcessSupervisor supervisor, String volume, ShareFolder folder) {
    this.host = host;
    this.volume = volume;
    this.folder = folder;
    this.processes = new GaneshaProcesses(host, supervisor, volume, folder);
  }

  /** Returns the control of the server, which answers only while it runs. */
  public GaneshaControl control() {
    return new GaneshaControl(host, folder.socket(), ANSWER);
  }

  /**
   * Starts what does not run or does not answer, and waits until the export is served. A server
   * that works already keeps its clients: changed rules are applied to it, other changed settings
   * restart it.
   *
   * @param known process that this node recorded for the server
   * @param opened called once when a process that is started now listens, which is before its
   *     answers over D-Bus: clients lose nothing of their time to reclaim
   * @return the process of the server
   * @throws StorageException BUSY when the port is in use, or a killed server does not end;
   *     UNSUPPORTED when a program is missing; TIMEOUT; IO with the last lines of its log
   */
  public ProcessIdentity start(
      GaneshaSettings settings, Optional<ProcessIdentity> known, Opened opened)
      throws StorageException {
    String server = GaneshaConfig.server(settings, folder);
    String export = GaneshaConfig.export(settings, folder);
    boolean runs = keeps(settings, known);
    if (!runs && isAlive(known)) {
      processes.stop();
    }
    // The export is there before the port opens: no client that reconnects misses it.
    ShareFolder.write(folder.server(), server + export);
    ShareFolder.write(folder.bus(), GaneshaConfig.bus(folder.socket()));
    SupervisedProcess process = processes.run();
    if (!runs && process.status().adopted()) {
      process.restart(); // a crash kept its start from being recorded, with the settings it has
    }
    if (!runs) {
      awaitPort(settings, process);
      opened.run();
    }
    awaitExport(process);
    applyExport(export, runs);
    return process.status().process().orElseThrow(() -> ended(process));
  }

  /** Action that follows when the port is open. */
  @FunctionalInterface
  public interface Opened {
    /** Carries it out. */
    void run() throws StorageException;
  }

  /**
   * Waits until a process that was started now listens. Ganesha counts its grace from an earlier
   * moment: one that waited for a device in between would serve when the grace is over, and give
   * the locks of its clients to others. It is killed, and keeps the records of its clients. A
   * process that ends is reported with its log below.
   */
  private void awaitPort(GaneshaSettings settings, SupervisedProcess process)
      throws StorageException {
    if (settings.address().contains(":")) {
      return;
    }
    Duration grace = settings.grace().compareTo(READY) < 0 ? settings.grace() : READY;
    Duration limit = grace.compareTo(LEAST) < 0 ? LEAST : grace;
    boolean opened =
        HostCondition.holds(
            limit,
            () ->
                ListeningPort.isOpen(settings.address(), settings.port())
                    || process.status().process().filter(ProcessIdentity::isAlive).isEmpty());
    if (!opened) {
      process.status().process().ifPresent(GaneshaServer::kill);
      throw new StorageException(
          ErrorCode.TIMEOUT,
          "share "
              + volume
              + ": killed Ganesha, which does not listen after "
              + limit.toSeconds()
              + " s, so that clients keep their time to reclaim locks: "
              + GaneshaLog.summary(process.logTail(GaneshaLog.LINES)));
    }
  }

  private static boolean isAlive(Optional<ProcessIdentity> known) {
    return known.filter(ProcessIdentity::isAlive).isPresent();
  }

  /**
   * Returns whether {@link #start} leaves the process as it is.
   *
   * @param known process that this node recorded for the server
   * @throws StorageException INVALID when the settings cannot be written; IO
   */
  public boolean keeps(GaneshaSettings settings, Optional<ProcessIdentity> known)
      throws StorageException {
    return isAlive(known)
        && answers()
        && ShareFolder.read(folder.server()).startsWith(GaneshaConfig.server(settings, folder));
  }

  private boolean answers() {
    try {
      return control().hasExport(GaneshaSettings.EXPORT_ID);
    } catch (StorageException e) {
      LOG.warn("share {}: restarting the server: {}", volume, e.getMessage());
      return false;
    }
  }

  /** The file tells what the server has: it is replaced after the server was told. */
  private void applyExport(String export, boolean serving) throws StorageException {
    if (serving && !ShareFolder.read(folder.exportText()).equals(export)) {
      Path next = folder.nextExport();
      ShareFolder.write(next, export);
      control().updateExport(next, GaneshaSettings.EXPORT_ID);
    }
    ShareFolder.write(folder.exportText(), export);
  }

  private void awaitExport(SupervisedProcess process) throws StorageException {
    GaneshaControl control = control();
    StorageException[] last = new StorageException[1];
    boolean served =
        HostCondition.holds(
            READY,
            () -> {
              if (process.status().process().filter(ProcessIdentity::isAlive).isEmpty()) {
                throw ended(process);
              }
              try {
                return control.hasExport(GaneshaSettings.EXPORT_ID);
              } catch (StorageException e) {
                last[0] = e;
                return false;
              }
            });
    Optional<String> refused = GaneshaLog.unknownParameter(process.logTail(GaneshaLog.LINES));
    if (refused.isPresent()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "share " + volume + ": this version of Ganesha lacks a setting: " + refused.get());
    }
    if (!served) {
      throw new StorageException(
          ErrorCode.TIMEOUT,
          "share "
              + volume
              + ": Ganesha does not serve the export after "
              + READY.toSeconds()
              + " s: "
              + GaneshaLog.summary(process.logTail(GaneshaLog.LINES)),
          last[0]);
    }
  }

  private StorageException ended(SupervisedProcess process) {
    try {
      return GaneshaLog.failure(volume, process.logTail(GaneshaLog.LINES));
    } catch (StorageException e) {
      return e;
    }
  }

  /**
   * Ends both processes: Ganesha lets its clients reclaim from the next one. Succeeds when they do
   * not run.
   *
   * @throws StorageException BUSY when a killed process does not end, because its device does not
   *     answer
   */
  public void stop() throws StorageException {
    processes.stop();
  }

  /**
   * Returns whether the running server has these settings.
   *
   * @throws StorageException INVALID when they cannot be written; IO
   */
  public boolean has(GaneshaSettings settings) throws StorageException {
    return ShareFolder.read(folder.server()).startsWith(GaneshaConfig.server(settings, folder))
        && ShareFolder.read(folder.exportText()).equals(GaneshaConfig.export(settings, folder));
  }

  /**
   * Deletes the logs, after the server was stopped.
   *
   * @param logs folder of the supervisor
   */
  public void deleteLogs(Path logs) throws StorageException {
    processes.deleteLogs(logs);
  }

  /** Kills Ganesha at once and does not wait, because another node serves the share. */
  public static void kill(ProcessIdentity server) {
    Optional<ProcessHandle> handle = ProcessHandle.of(server.pid());
    if (handle.isPresent() && server.isAlive()) {
      boolean unused = handle.get().destroyForcibly();
    }
  }

  /**
   * Returns whether a process was killed and the kernel holds it, with its port: its first thread
   * has ended, and another one waits for the device.
   */
  public static boolean isKilled(ProcessIdentity server) throws StorageException {
    Path status = Path.of("/proc", Long.toString(server.pid()), "status");
    try (Stream<String> lines = Files.lines(status, StandardCharsets.ISO_8859_1)) {
      return lines.anyMatch(line -> line.startsWith("State:\tZ"));
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      throw StorageException.io(status.toString(), e);
    }
  }
}

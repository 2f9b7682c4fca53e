package dev.holdfast.share.nfs.internal.ganesha;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.processes.ProcessListener;
import dev.holdfast.processes.ProcessSpec;
import dev.holdfast.processes.ProcessSupervisor;
import dev.holdfast.processes.RestartPolicy;
import dev.holdfast.processes.SupervisedProcess;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The processes of a share. Ganesha connects to its bus once, when it starts, and ends with it: so
 * the bus is there first. The guard ends Ganesha when the container is gone. Neither of the first
 * two is restarted by itself, because a restart needs to know whether the volume answers and
 * whether this node still serves the share.
 */
final class GaneshaProcesses {
  private static final Duration TERMINATE = Duration.ofSeconds(5);
  private static final Duration LISTENS = Duration.ofSeconds(10);

  private final Host host;
  private final ProcessSupervisor supervisor;
  private final String volume;
  private final ShareFolder folder;

  GaneshaProcesses(Host host, ProcessSupervisor supervisor, String volume, ShareFolder folder) {
    this.host = host;
    this.supervisor = supervisor;
    this.volume = volume;
    this.folder = folder;
  }

  private String serverName() {
    return volume + ".nfsd";
  }

  private String busName() {
    return volume + ".bus";
  }

  private String guardName() {
    return volume + ".guard";
  }

  /** Adopts or starts them, and returns Ganesha. */
  SupervisedProcess run() throws StorageException {
    SupervisedProcess bus = run(busSpec());
    awaitBus(bus);
    SupervisedProcess server = run(serverSpec());
    SupervisedProcess unused = run(guardSpec());
    return server;
  }

  private SupervisedProcess run(ProcessSpec spec) throws StorageException {
    Optional<SupervisedProcess> supervised = supervisor.find(spec.name());
    if (supervised.isEmpty()) {
      return supervisor.supervise(spec, ProcessListener.NONE);
    }
    if (supervised.get().status().process().filter(ProcessIdentity::isAlive).isEmpty()) {
      supervised.get().restart();
    }
    return supervised.get();
  }

  private ProcessSpec busSpec() throws StorageException {
    String program = host.require("dbus-daemon", "dbus-daemon");
    return ProcessSpec.of(
            busName(),
            List.of(
                program, "--config-file=" + folder.bus(), "--nofork", "--nopidfile", "--nosyslog"))
        .withRestarts(RestartPolicy.NEVER)
        .withStopPatience(TERMINATE);
  }

  private ProcessSpec guardSpec() throws StorageException {
    return ProcessSpec.of(guardName(), new ServerLease(folder).guard(host))
        .withStopPatience(TERMINATE);
  }

  private ProcessSpec serverSpec() throws StorageException {
    String program = host.require("ganesha.nfsd", "nfs-ganesha");
    return ProcessSpec.of(
            serverName(),
            List.of(
                program,
                "-F",
                "-f",
                folder.server().toString(),
                "-L",
                "STDOUT",
                "-p",
                folder.pid().toString()))
        .withEnvironment(Map.of("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=" + folder.socket()))
        .withRestarts(RestartPolicy.NEVER)
        .withStopPatience(TERMINATE);
  }

  /** A socket that an ended daemon left accepts no connection, and the next one replaces it. */
  private void awaitBus(SupervisedProcess bus) throws StorageException {
    boolean listens =
        HostCondition.holds(
            LISTENS,
            () -> accepts() || bus.status().process().filter(ProcessIdentity::isAlive).isEmpty());
    if (!listens || !accepts()) {
      throw new StorageException(
          ErrorCode.IO,
          "share " + volume + ": its D-Bus does not work: " + String.join("; ", bus.logTail(3)));
    }
  }

  private boolean accepts() {
    if (!Files.exists(folder.socket())) {
      return false;
    }
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(folder.socket()))) {
      return channel.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Deletes the logs, after both were stopped.
   *
   * @param logs folder of the supervisor
   */
  void deleteLogs(Path logs) throws StorageException {
    for (String name : List.of(guardName(), serverName(), busName())) {
      for (String suffix : List.of(".log", ".log.1")) {
        Path log = logs.resolve(name + suffix);
        try {
          Files.deleteIfExists(log);
        } catch (IOException e) {
          throw StorageException.io(log.toString(), e);
        }
      }
    }
  }

  /**
   * Ends them, the guard and then Ganesha first. A process that waits does not keep other shares
   * waiting.
   */
  void stop() throws StorageException {
    for (String name : List.of(guardName(), serverName(), busName())) {
      Optional<SupervisedProcess> supervised = supervisor.find(name);
      if (supervised.isPresent()) {
        supervised.get().stop();
      }
      supervisor.remove(name, TERMINATE);
    }
  }
}

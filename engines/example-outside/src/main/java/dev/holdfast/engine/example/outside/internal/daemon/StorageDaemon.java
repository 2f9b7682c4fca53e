package dev.holdfast.engine.example.outside.internal.daemon;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.processes.ProcessListener;
import dev.holdfast.processes.ProcessSpec;
import dev.holdfast.processes.ProcessState;
import dev.holdfast.processes.ProcessStatus;
import dev.holdfast.processes.ProcessSupervisor;
import dev.holdfast.processes.RestartPolicy;
import dev.holdfast.processes.SupervisedProcess;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One supervised {@code qemu-storage-daemon}. It starts without images and exports, with a control
 * socket and an NBD server; its owner adds the rest, also after each restart.
 */
final class StorageDaemon {
  private static final Duration READY = Duration.ofSeconds(30);

  private final ProcessSupervisor supervisor;
  private final String subject;
  private final ProcessSpec spec;
  private final Path control;
  private final Path server;
  private final String remedy;
  private Optional<SupervisedProcess> process = Optional.empty();

  /**
   * Describes it.
   *
   * @param place the folder of the volume on this node
   * @param supervisor of that folder
   * @param spec what is run, see {@link #command}
   */
  StorageDaemon(NodeFolder place, ProcessSupervisor supervisor, ProcessSpec spec) {
    this.supervisor = supervisor;
    this.subject = "volume " + place.volume();
    this.spec = spec;
    this.control = place.control(spec.name());
    this.server = place.server(spec.name());
    this.remedy = "see " + place.path().resolve(spec.name() + ".log");
  }

  /**
   * Returns the command line of a daemon.
   *
   * @param program its name
   * @param further arguments
   * @throws StorageException UNSUPPORTED, naming volume and remedy, when it is not installed
   */
  static List<String> command(String program, NodeFolder place, String name, List<String> further)
      throws StorageException {
    List<String> command = new ArrayList<>();
    try {
      command.add(HostProgram.require(program, "qemu-system-common").toString());
    } catch (StorageException e) {
      throw new StorageException(e.code(), "volume " + place.volume() + ": " + e.getMessage(), e);
    }
    command.add("--chardev");
    command.add("socket,id=control,server=on,wait=off,path=" + escaped(place.control(name)));
    command.addAll(List.of("--monitor", "chardev=control"));
    command.add("--nbd-server");
    command.add("addr.type=unix,max-connections=0,addr.path=" + escaped(place.server(name)));
    command.addAll(further);
    return command;
  }

  private static String escaped(Path path) {
    return path.toString().replace(",", ",,");
  }

  /** Returns a specification whose process is restarted by the policy. */
  static ProcessSpec spec(
      String name, List<String> command, RestartPolicy restarts, Duration patience) {
    return ProcessSpec.of(name, command).withRestarts(restarts).withStopPatience(patience);
  }

  /** Adopts it, or starts it; does not wait until it answers. */
  void begin(ProcessListener listener) throws StorageException {
    process = Optional.of(supervisor.supervise(spec, listener));
  }

  /** Returns which process it is, empty while it waits for its restart. */
  Optional<ProcessIdentity> identity() {
    return process.flatMap(running -> running.status().process());
  }

  Optional<ProcessStatus> status() {
    return process.map(SupervisedProcess::status);
  }

  /**
   * Connects to its control socket, and waits for it when the daemon has just been started.
   *
   * @throws StorageException IO with the cause when it has ended; TIMEOUT
   */
  Qmp control() throws StorageException {
    AtomicReference<Qmp> connected = new AtomicReference<>();
    if (!HostCondition.holds(READY, () -> connect(connected))) {
      throw new StorageException(
          ErrorCode.TIMEOUT, subject + ": qemu-storage-daemon is not ready: " + remedy);
    }
    return connected.get();
  }

  /**
   * A daemon that is connected to before its monitor is there may never answer on that connection.
   * It makes its NBD server after its monitor.
   */
  private boolean connect(AtomicReference<Qmp> connected) throws StorageException {
    try {
      SocketChannel.open(UnixDomainSocketAddress.of(server)).close();
      connected.set(Qmp.connect(control, subject, remedy));
      return true;
    } catch (IOException e) {
      requireRunning(e);
      return false;
    } catch (StorageException e) {
      if (e.code() != ErrorCode.TIMEOUT) {
        throw e;
      }
      return false;
    }
  }

  private void requireRunning(IOException cause) throws StorageException {
    ProcessStatus now = process.orElseThrow().status();
    if (now.state() != ProcessState.RUNNING) {
      throw new StorageException(
          ErrorCode.IO,
          subject + ": qemu-storage-daemon does not run: " + now.detail() + ": " + remedy,
          cause);
    }
  }

  /** Ends it, also one of an earlier program. Succeeds when it does not run. */
  void end() throws StorageException {
    supervisor.remove(spec.name(), spec.stopPatience());
  }
}

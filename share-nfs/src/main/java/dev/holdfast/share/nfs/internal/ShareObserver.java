package dev.holdfast.share.nfs.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.InitiatorConnection;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.share.ServerProcess;
import dev.holdfast.share.ShareInstance;
import dev.holdfast.share.ShareObservation;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.WriteProbe;
import dev.holdfast.share.nfs.internal.address.HostAddresses;
import dev.holdfast.share.nfs.internal.address.NfsConnection;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaControl;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaServer;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaSettings;
import dev.holdfast.share.nfs.internal.volume.ProbeWrite;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks at shares without changing them. The kernel's statistics and Ganesha's heartbeat stay good
 * on a filesystem that hangs or became read-only: so one block is written. Thread-safe.
 */
final class ShareObserver {
  private static final Duration LONGEST_WRITE = Duration.ofSeconds(3);
  private static final Duration PROGRAM = Duration.ofSeconds(5);

  private final ShareHost node;
  private final Map<String, ProbeWrite> probes = new ConcurrentHashMap<>();

  ShareObserver(ShareHost node) {
    this.node = node;
  }

  /** Answer of Ganesha to the questions about its state. */
  private record Answer(boolean answers, boolean exported, boolean inGrace, String version) {
    static final Answer NONE = new Answer(false, false, false, "");
  }

  ShareObservation observe(ShareRequest request, Duration limit) throws StorageException {
    Optional<ShareRecord> found = recorded(request.instance());
    if (found.isEmpty()) {
      return ShareObservation.NOTHING;
    }
    ShareRecord record = found.get();
    List<String> problems = new ArrayList<>();
    boolean device = hasDevice(record, problems);
    boolean mounted = isMounted(record);
    ServerProcess process = process(record);
    Answer answer = answer(record, process, problems);
    List<NfsConnection> connections =
        answer.answers()
            ? new HostAddresses(node.host()).connections(record.ip(), record.port())
            : List.of();
    Duration half = limit.dividedBy(2);
    Duration patience = half.compareTo(LONGEST_WRITE) < 0 ? half : LONGEST_WRITE;
    ProbeWrite.Result write = probe(record, mounted, text(record, answer, connections), patience);
    if (!write.detail().isEmpty()) {
      problems.add(write.detail());
    }
    boolean current = isCurrent(request, problems);
    return new ShareObservation(
        true,
        device,
        mounted,
        process,
        answer.answers(),
        answer.exported(),
        current,
        write.probe(),
        answer.inGrace(),
        mounted ? record.size() : 0,
        answer.exported() ? endpoint(record) : "",
        answer.version(),
        connections.stream().map(NfsConnection::ip).distinct().toList(),
        String.join("; ", problems));
  }

  /** Asks neither the server nor the store; the known clients stay known. */
  WriteProbe probe(ShareInstance instance, Duration limit) throws StorageException {
    Optional<ShareRecord> found = recorded(instance);
    if (found.isEmpty()) {
      return WriteProbe.NOT_MOUNTED;
    }
    ShareRecord record = found.get();
    if (!hasDevice(record, new ArrayList<>())) {
      return WriteProbe.FAILED;
    }
    String text = node.clients().update(record.volume(), List.of(), true);
    return probe(record, isMounted(record), text, limit).probe();
  }

  private Optional<ShareRecord> recorded(ShareInstance instance) throws StorageException {
    return node.records().find(instance.volume()).filter(one -> one.epoch() == instance.epoch());
  }

  private boolean isMounted(ShareRecord record) throws StorageException {
    return !record.device().isEmpty()
        && node.mounts(record.volume(), PROGRAM).areOf(record.device());
  }

  private boolean hasDevice(ShareRecord record, List<String> problems) throws StorageException {
    Optional<InitiatorConnection> connection = node.device(record.volume()).connection();
    boolean works = connection.filter(InitiatorConnection::alive).isPresent();
    if (!works) {
      problems.add(
          connection.isPresent() ? "the volume's device fails" : "the volume has no device");
    }
    return works;
  }

  private static ServerProcess process(ShareRecord record) throws StorageException {
    Optional<ProcessIdentity> process = record.process();
    if (process.isEmpty()) {
      return ServerProcess.ABSENT;
    }
    if (!process.get().isAlive()) {
      return ServerProcess.DEAD;
    }
    return GaneshaServer.isKilled(process.get()) ? ServerProcess.ZOMBIE : ServerProcess.RUNNING;
  }

  private Answer answer(ShareRecord record, ServerProcess process, List<String> problems) {
    if (process != ServerProcess.RUNNING) {
      problems.add(
          process == ServerProcess.ZOMBIE
              ? "the killed server waits for the device"
              : "the server does not run");
      return Answer.NONE;
    }
    GaneshaControl control = node.server(record.volume()).control();
    try {
      boolean exported = control.hasExport(GaneshaSettings.EXPORT_ID);
      if (!exported) {
        problems.add("the server does not export the volume");
      }
      return new Answer(true, exported, control.inGrace(), control.version());
    } catch (StorageException e) {
      problems.add("the server does not answer: " + e.getMessage());
      return Answer.NONE;
    }
  }

  /** A server that is away has no connection, and its clients stay known. */
  private String text(ShareRecord record, Answer answer, List<NfsConnection> connections) {
    return node.clients()
        .update(record.volume(), connections, answer.inGrace() || !answer.answers());
  }

  private ProbeWrite.Result probe(
      ShareRecord record, boolean mounted, String text, Duration patience) throws StorageException {
    if (!mounted) {
      return ProbeWrite.Result.NOT_MOUNTED;
    }
    return probes
        .computeIfAbsent(record.volume(), name -> new ProbeWrite())
        .write(node.host(), node.folder(record.volume()).probe(), text, patience);
  }

  /** A running server keeps its settings when the next ones are wrong. */
  private boolean isCurrent(ShareRequest request, List<String> problems) {
    try {
      return node.server(request.volume()).has(RequestSettings.of(request));
    } catch (StorageException e) {
      problems.add(e.getMessage());
      return false;
    }
  }

  private static String endpoint(ShareRecord record) {
    String host = record.ip().contains(":") ? "[" + record.ip() + "]" : record.ip();
    return "nfs://" + host + ":" + record.port() + "/" + record.volume();
  }
}

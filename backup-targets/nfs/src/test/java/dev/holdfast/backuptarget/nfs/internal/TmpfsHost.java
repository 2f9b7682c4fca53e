package dev.holdfast.backuptarget.nfs.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.LocalHost;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * This host, whose kernel may have no NFS client: an empty file system in memory is mounted in
 * place of each export. All else is real.
 */
final class TmpfsHost implements Host {
  private final LocalHost host = new LocalHost();
  private final List<String> mounted = new CopyOnWriteArrayList<>();

  /** Returns the exports that were mounted, with the options. */
  List<String> mounted() {
    return mounted;
  }

  @Override
  public Optional<Path> find(String program) throws StorageException {
    return host.find(program.equals("mount.nfs") ? "mount" : program);
  }

  @Override
  public ProgramResult run(ProgramCall call) throws StorageException {
    List<String> command = new ArrayList<>(call.command());
    if (!command.contains("nfs4")) {
      return host.run(call);
    }
    mounted.add(command.get(4) + " " + command.get(5));
    return host.run(
        ProgramCall.of(
            call.timeout(), List.of(command.get(0), "-t", "tmpfs", "tmpfs", command.get(6))));
  }

  @Override
  public HostProcess start(List<String> command) throws StorageException {
    return host.start(command);
  }

  @Override
  public HostFiles files() {
    return host.files();
  }
}

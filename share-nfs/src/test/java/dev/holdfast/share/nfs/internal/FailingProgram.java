package dev.holdfast.share.nfs.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A host on which one program always fails.
 *
 * @param host runs all other programs
 * @param program its name
 */
record FailingProgram(Host host, String program) implements Host {
  @Override
  public Optional<Path> find(String name) throws StorageException {
    return name.equals(program) ? host.find("false") : host.find(name);
  }

  @Override
  public ProgramResult run(ProgramCall call) throws StorageException {
    return host.run(call);
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

package dev.holdfast.engine.lvm.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.lvm.testkit.SimulatedLvm;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A host with a second volume group, which another simulation keeps under its own name. */
record SecondGroupHost(SimulatedLvm first, SimulatedLvm second, String name) implements Host {
  @Override
  public Optional<Path> find(String program) {
    return first.find(program);
  }

  @Override
  public HostProcess start(List<String> command) {
    return first.start(command);
  }

  @Override
  public HostFiles files() {
    return first.files();
  }

  @Override
  public ProgramResult run(ProgramCall call) throws StorageException {
    if (!call.command().toString().contains(name)) {
      return first.run(call);
    }
    List<String> command =
        call.command().stream().map(word -> word.replace(name, SimulatedLvm.GROUP)).toList();
    ProgramResult result = second.run(ProgramCall.of(call.timeout(), command));
    return new ProgramResult(
        result.exitCode(),
        result.output().replace(SimulatedLvm.GROUP, name),
        result.errors(),
        result.truncated());
  }
}

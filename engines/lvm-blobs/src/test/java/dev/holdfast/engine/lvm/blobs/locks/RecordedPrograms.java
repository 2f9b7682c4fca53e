package dev.holdfast.engine.lvm.blobs.locks;

import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A host whose programs print what was recorded; the part of a command tells which output. */
public final class RecordedPrograms implements Host {
  private final Map<String, ProgramResult> results = new HashMap<>();
  private final Set<String> absent = new HashSet<>();
  private final List<String> calls = new ArrayList<>();

  /** Lets commands with a part of this text print something. */
  public RecordedPrograms prints(String command, String output) {
    results.put(command, new ProgramResult(0, output.strip(), "", false));
    return this;
  }

  RecordedPrograms fails(String command, int code, String errors) {
    results.put(command, new ProgramResult(code, "", errors, false));
    return this;
  }

  RecordedPrograms without(String program) {
    absent.add(program);
    return this;
  }

  /** Returns the commands that were run. */
  public List<String> calls() {
    return calls;
  }

  @Override
  public Optional<Path> find(String program) {
    return absent.contains(program) ? Optional.empty() : Optional.of(Path.of("/sbin", program));
  }

  @Override
  public ProgramResult run(ProgramCall call) {
    String command = String.join(" ", call.command());
    calls.add(command);
    return results.entrySet().stream()
        .filter(entry -> command.contains(entry.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElseThrow(() -> new AssertionError("not recorded: " + command));
  }

  @Override
  public HostProcess start(List<String> command) {
    throw new AssertionError("not recorded: " + command);
  }

  @Override
  public HostFiles files() {
    throw new AssertionError("not recorded: files");
  }
}

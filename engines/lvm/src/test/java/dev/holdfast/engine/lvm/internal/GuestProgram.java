package dev.holdfast.engine.lvm.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A class of the tests that runs in a virtual machine and answers lines. */
final class GuestProgram {
  private final HostProcess process;
  private final BufferedReader output;

  GuestProgram(Host host, Class<?> main, List<String> arguments) throws StorageException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx96m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    process = host.start(command);
    output = new BufferedReader(new InputStreamReader(process.output(), StandardCharsets.UTF_8));
  }

  /** Returns the next line that the program prints; null after its end. */
  String line() throws IOException {
    return output.readLine();
  }

  /** Sends a line and returns the answer. */
  String ask(String line) throws IOException {
    process.input().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    process.input().flush();
    return line();
  }

  /** Closes the input of the program and returns its exit code. */
  int end() throws Exception {
    process.input().close();
    return process.exit().get();
  }

  /** Kills the program and returns its exit code. */
  int kill() throws Exception {
    process.kill();
    return process.exit().get();
  }
}

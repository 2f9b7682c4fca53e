package dev.holdfast.itests.powercut;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A machine by {@code holdfast vm} whose power can be cut; never outlives this object. */
final class VirtualMachine implements AutoCloseable {
  private static final int MEMORY_MIB = 640;
  private static final int LIMIT_SECONDS = 150;
  private static final long END_SECONDS = 20;

  private final Process command;
  private final BufferedReader output;

  private VirtualMachine(Process command) {
    this.command = command;
    this.output =
        new BufferedReader(new InputStreamReader(command.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts it: {@code script} runs inside, with the disks as /dev/vda, /dev/vdb, and so on. */
  static VirtualMachine start(Path tree, List<Path> disks, Path shared, String script)
      throws IOException {
    List<String> words = new ArrayList<>();
    words.add(tree.resolve("holdfast").toString());
    words.addAll(List.of("vm", "-m", Integer.toString(MEMORY_MIB)));
    words.addAll(List.of("-t", Integer.toString(LIMIT_SECONDS), "-s", shared.toString()));
    disks.forEach(disk -> words.addAll(List.of("-d", disk.toString())));
    words.addAll(List.of("--", "sh", "-c", script));
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.redirectError(shared.resolve("vm.err").toFile());
    Process command = builder.start();
    command.getOutputStream().close();
    return new VirtualMachine(command);
  }

  /** Returns the next line of its output, empty when it is off. */
  Optional<String> line() throws IOException {
    return Optional.ofNullable(output.readLine());
  }

  /**
   * Kills the kernel with all of its processes, and with them every byte that it has not handed to
   * its disks. Lines that it had sent can still be read.
   */
  void cutPower() throws IOException, InterruptedException {
    ProcessHandle kernel =
        command
            .toHandle()
            .descendants()
            .filter(VirtualMachine::isKernel)
            .filter(process -> process.parent().filter(VirtualMachine::isKernel).isEmpty())
            .findFirst()
            .orElseThrow(() -> new IllegalStateException("the machine runs no more"));
    // The kernel leads a process group, in which all of its helpers are.
    Process kill = new ProcessBuilder("kill", "-9", "--", "-" + kernel.pid()).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new IllegalStateException("the power of process " + kernel.pid() + " is still on");
    }
  }

  private static boolean isKernel(ProcessHandle process) {
    return process.info().command().filter(name -> name.endsWith("/uml/kernel")).isPresent();
  }

  /** Returns the exit status, once its output has ended. */
  int awaitEnd() throws InterruptedException {
    if (!command.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("the machine's command did not end");
    }
    return command.exitValue();
  }

  /** Ends the machine in any state. */
  @Override
  public void close() throws IOException {
    boolean ended = !command.isAlive();
    try {
      if (!ended) {
        command.destroy(); // the command kills its machine when it receives SIGTERM
        ended = command.waitFor(END_SECONDS, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (!ended) {
        command.descendants().forEach(ProcessHandle::destroyForcibly);
        command.destroyForcibly();
      }
      output.close();
    }
  }
}
